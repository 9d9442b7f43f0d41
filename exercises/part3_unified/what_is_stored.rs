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
    todo!("TODO(what_is_stored): what is behind the root, and who holds it")
}
