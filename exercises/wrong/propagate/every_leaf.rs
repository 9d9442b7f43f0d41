// propagate: who records, and who gets a gradient.
//
// WHAT   A program is given as a list of steps. Say of each step whether its
//        result has a way back, and which leaves get a gradient when backward
//        starts at one of them.
// WHY    This is all that `requires_grad`, `no_grad` and `detach` mean. Who
//        can say it for any list need not guess why a gradient is None.
// CHECK  cargo learn check propagate

/// A step makes one tensor. Operands are numbers of earlier steps.
#[derive(Clone, Debug)]
pub enum Step {
    /// A leaf; with `true` it requires a gradient.
    Leaf(bool),
    /// An operation on these operands.
    Apply(Vec<usize>),
    /// An operation inside `no_grad`.
    ApplyNoGrad(Vec<usize>),
    /// `operand.detach()`: its numbers, and no way back.
    Detach(usize),
}

/// Tells for each step whether backward can start at its result.
pub fn has_way_back(steps: &[Step]) -> Vec<bool> {
    let mut has: Vec<bool> = Vec::new();
    for step in steps {
        has.push(match step {
            Step::Leaf(requires) => *requires,
            Step::Apply(operands) => operands.iter().any(|&i| has[i]),
            Step::ApplyNoGrad(_) | Step::Detach(_) => false,
        });
    }
    has
}

/// Lists the leaves that get a gradient when backward starts at `root`, in
/// order.
pub fn reached(steps: &[Step], root: usize) -> Vec<usize> {
    let has = has_way_back(steps);
    let mut waiting = vec![false; steps.len()];
    waiting[root] = has[root];
    let mut leaves = Vec::new();
    // Operands come before what is made of them: one walk from the end.
    for i in (0..=root).rev().filter(|&i| has[i]) {
        match &steps[i] {
            Step::Leaf(_) => leaves.push(i),
            Step::Apply(operands) => {
                for &operand in operands {
                    waiting[operand] = has[operand];
                }
            }
            Step::ApplyNoGrad(_) | Step::Detach(_) => {}
        }
    }
    leaves.reverse();
    leaves
}
