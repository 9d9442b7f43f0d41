//! Part 1: an autograd engine on CPU arrays. The chapters from "A tensor that
//! remembers" to "Train the digits" build it.
//!
//! Reading order: [`Tensor`] (`tensor.rs`), its operations (`ops.rs`,
//! `reduce.rs`, `matrix.rs`) over plain arrays (`array.rs`), the operators
//! (`operators.rs`), the sweep from the result back to the leaves
//! (`backward.rs`), networks ([`nn`]) and what trains them ([`optim`]).

// The documentation of `Tensor` lists its methods in the order of these.
mod tensor;

mod ops;
mod reduce;

mod matrix;

mod backward;

mod array;
pub mod nn;
mod operators;
pub mod optim;

pub use tensor::Tensor;
