// propagate: what is recorded, and which leaves get a gradient.
//
// WHAT   A program is given as a list of steps. Return for each step whether
//        backward can start at its result, and which leaves get a gradient
//        when backward starts at one of them.
// WHY    This is all that `requires_grad`, `no_grad` and `detach` mean. If you
//        can answer it for any list, you never have to guess why a gradient is
//        None.
// READ   Eight functions, one dispatch
// CHECK  cargo learn check propagate

/// A step creates one tensor. Operands are indices of earlier steps.
#[derive(Clone, Debug)]
pub enum Step {
    /// A leaf; with `true` it requires a gradient.
    Leaf(bool),
    /// An operation on these operands.
    Apply(Vec<usize>),
    /// An operation inside `no_grad`.
    ApplyNoGrad(Vec<usize>),
    /// `operand.detach()`: its values without the graph.
    Detach(usize),
}

/// Returns for each step whether backward can start at its result.
pub fn requires_grad(steps: &[Step]) -> Vec<bool> {
    let mut has: Vec<bool> = Vec::new();
    for step in steps {
        // HOLE
        //| // The operands came earlier, so `has` already contains them.
        //| todo!("TODO(propagate): has.push(..) for each kind of step")
        has.push(match step {
            Step::Leaf(requires) => *requires,
            Step::Apply(operands) => operands.iter().any(|&i| has[i]),
            Step::ApplyNoGrad(_) | Step::Detach(_) => false,
        });
        // END HOLE
    }
    has
}

/// Returns the leaves that get a gradient when backward starts at `root`, in
/// order.
pub fn reached(steps: &[Step], root: usize) -> Vec<usize> {
    let has = requires_grad(steps);
    let mut waiting = vec![false; steps.len()];
    waiting[root] = has[root];
    let mut leaves = Vec::new();
    // Operands come before their results, so one loop from the end is enough.
    for i in (0..=root).rev().filter(|&i| has[i]) {
        // HOLE
        //| // Does step i get a gradient? If so, a leaf is reached, and an
        //| // operation passes it to its operands, unless they have no graph.
        //| todo!("TODO(propagate): the leaves, and which operands come next")
        match &steps[i] {
            _ if !waiting[i] => {}
            Step::Leaf(_) => leaves.push(i),
            Step::Apply(operands) => {
                for &operand in operands {
                    waiting[operand] = has[operand];
                }
            }
            Step::ApplyNoGrad(_) | Step::Detach(_) => {}
        }
        // END HOLE
    }
    leaves.reverse();
    leaves
}
