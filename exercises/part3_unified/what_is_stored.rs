// what_is_stored: which values of an expression a kernel must store.
//
// WHAT   An expression is given as a list of steps, each of which depends on
//        earlier ones, and one of them is requested. List the steps whose
//        values the kernel must store.
// WHY    A value that cannot be requested later needs no memory. Only its
//        holders can request it later, and a shared pointer counts its
//        holders.
// MIND   A pending step holds each of its operands, and holds an operand twice
//        if it uses it twice. Holders that the root depends on are computed by
//        this kernel; all other holders may request the value later.
// READ   Kernels that write themselves
// CHECK  cargo learn check what_is_stored

/// The kind of a step. Operands are indices of earlier steps.
#[derive(Clone, Debug)]
pub enum What {
    /// Its values are already in memory.
    InMemory,
    /// A constant, which is written into the source wherever it is used.
    Constant,
    /// A pending operation that has not been computed.
    Pending(Vec<usize>),
}

/// A step, and the number of its holders: handles in the program, and pending
/// steps that use it.
#[derive(Clone, Debug)]
pub struct Step {
    pub what: What,
    pub holders: usize,
}

/// Lists, in order, the steps that the kernel for `root` stores. The root is
/// pending, and its value is always requested.
pub fn stored(steps: &[Step], root: usize) -> Vec<usize> {
    todo!("TODO(what_is_stored): what the root needs, and who else holds it")
}
