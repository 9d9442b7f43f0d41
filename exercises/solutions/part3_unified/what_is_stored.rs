// what_is_stored: which values of an expression a kernel must store.
//
// WHAT   An expression is given as a list of steps, each made of earlier ones,
//        and one of them is asked for. List the steps that the kernel stores.
// WHY    A value that nobody can ask for later needs no memory. Who can ask for
//        it later is whoever holds it, and a shared pointer counts its holders.
// MIND   A step that was wished for holds each of its operands, one that it
//        uses twice two times. What is behind the root and holds is served by
//        this kernel; all other holders may ask later.
// READ   Kernels that write themselves
// CHECK  cargo learn check what_is_stored

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
    // HOLE
    //| todo!("TODO(what_is_stored): what is behind the root, and who holds it")
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
        behind[at] && is_wish && (at == root || is_held)
    };
    (0..=root).filter(is_stored).collect()
    // END HOLE
}
