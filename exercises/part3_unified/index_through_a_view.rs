// index_through_a_view: where element number i of a view lies in memory.
//
// WHAT   A kernel counts elements, 0, 1, 2, .., the last axis fastest. Say
//        where in memory number i lies, as a sum of terms, each of which is
//        (i / divide % rest) * stride, with as few terms as there can be.
// WHY    A kernel that is written for a view has this sum in its text, so no
//        strides need to be handed over. A view that turns nothing is i
//        itself, and then the memory is read as if there were no view.
// MIND   What is broadcast has the stride 0. Two axes that go on evenly are
//        one: a quotient and its rest, put together again.
// READ   Kernels that write themselves
// CHECK  cargo learn check index_through_a_view

/// A part of an index: `(i / divide % rest) * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub divide: usize,
    pub rest: usize,
    pub stride: isize,
}

/// Finds the terms of a view's index; the offset comes on top of them.
pub fn terms(shape: &[usize], strides: &[isize]) -> Vec<Term> {
    todo!("TODO(index_through_a_view): a term for each axis that needs one")
}
