//! Part 2: the same engine on raw OpenCL kernels. The chapters from "How a GPU
//! computes" to "Train on your kernels" build it, on [`crate::opencl`].
//!
//! Reading order: the [`kernels`], [`Tensor`] (`tensor.rs`), its operations (`ops.rs`,
//! `reduce.rs`, `matrix.rs`), the sweep back (`backward.rs`). Lay each beside
//! its namesake of Part 1. Below the operations stand six ways to a sum,
//! [`totals`], the ladder of matrix products, [`matmul`], and two ways to a
//! product by a vector, [`matvec`].

// The documentation of `Tensor` lists its methods in the order of these.
mod tensor;

mod ops;
mod reduce;

mod matrix;

mod backward;

pub mod kernels;
pub mod matmul;
pub mod matvec;
pub mod totals;

pub use tensor::Tensor;
