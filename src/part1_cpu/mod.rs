//! Part 1: an autograd engine on CPU arrays. The chapters from "A tensor that
//! remembers" to "Train the digits" build it.
//!
//! Reading order: [`Tensor`] (`tensor.rs`), its operations (`ops.rs`,
//! `reduce.rs`, `matrix.rs`) over plain arrays (`array.rs`), the overloaded
//! operators (`operators.rs`), the backward pass (`backward.rs`), layers
//! ([`nn`]) and the optimizer ([`optim`]). `inspect.rs` records tapes and
//! checks rules.

// rustdoc lists the methods of `Tensor` in the order of these modules.
mod tensor;

mod ops;
mod reduce;

mod matrix;

mod backward;

mod inspect;

mod array;
pub mod nn;
mod operators;
pub mod optim;

pub use tensor::Tensor;
