//! Part 2: the same engine on OpenCL kernels. The chapters from "How a GPU
//! computes" to "Train on your kernels" build it, on [`crate::opencl`].
//!
//! Reading order: the `kernels`, [`Tensor`] (`tensor.rs`), its operations
//! (`ops.rs`, `reduce.rs`, `matrix.rs`), the backward pass (`backward.rs`),
//! and tapes (`inspect.rs`). Compare each with the file of the same name in
//! Part 1. [`matmul`] is the ladder of matrix products, [`totals`] has six
//! ways to sum an array, and `matvec` two matrix-vector products.

// rustdoc lists the methods of `Tensor` in the order of these modules.
mod tensor;

mod ops;
mod reduce;

mod matrix;

mod backward;

mod inspect;

#[doc(hidden)]
pub mod kernels;
pub mod matmul;
#[doc(hidden)]
pub mod matvec;
pub mod totals;

pub use tensor::Tensor;
