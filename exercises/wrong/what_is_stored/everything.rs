// Every wish is stored.

/// What a step is. Operands are numbers of earlier steps.
#[derive(Clone, Debug)]
pub enum What {
    /// Its numbers are in memory already.
    There,
    /// One number, which is written into the text wherever it is used.
    Number,
    /// An operation that was wished for and is not computed.
    Wish(Vec<usize>),
}

/// A step, and how many hold it: handles of a program, and wishes that it is
/// an operand of.
#[derive(Clone, Debug)]
pub struct Step {
    pub what: What,
    pub holders: usize,
}

/// Lists, in order, the steps that the kernel for `root` stores. The root is
/// a wish, and whoever asked for it gets it.
pub fn stored(steps: &[Step], root: usize) -> Vec<usize> {
    let mut behind = vec![false; steps.len()];
    let mut uses = vec![0; steps.len()];
    behind[root] = true;
    for at in (0..=root).rev() {
        let What::Wish(operands) = &steps[at].what else { continue };
        if !behind[at] {
            continue;
        }
        for &operand in operands {
            behind[operand] = true;
            uses[operand] += 1;
        }
    }
    let is_stored = |&at: &usize| {
        let is_wish = matches!(steps[at].what, What::Wish(_));
        let is_held = steps[at].holders > uses[at];
        behind[at] && is_wish
    };
    (0..=root).filter(is_stored).collect()
}
