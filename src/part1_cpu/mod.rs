//! Part 1: an autograd engine on CPU arrays. Chapters 3 to 10 build it.
//!
//! Reading order: [`Tensor`] (`tensor.rs`), its operations (`ops.rs`,
//! `reduce.rs`, `matrix.rs`) over plain arrays (`array.rs`), the operators
//! (`operators.rs`), the sweep from the result back to the leaves
//! (`backward.rs`).

mod array;
mod backward;
mod matrix;
mod operators;
mod ops;
mod reduce;
mod tensor;

pub use tensor::Tensor;
