//! Part 1: an autograd engine on CPU arrays. Chapters 3 to 10 build it.
//!
//! Reading order: [`Tensor`] (`tensor.rs`), its operations (`ops.rs`), the
//! sweep from the result back to the leaves (`backward.rs`).

mod backward;
mod ops;
mod tensor;

pub use tensor::Tensor;
