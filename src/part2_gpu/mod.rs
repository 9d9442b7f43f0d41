//! Part 2: the same engine on raw OpenCL kernels. Chapters 11 to 20 build
//! it, on [`crate::opencl`].
//!
//! Reading order: [`Tensor`] (`tensor.rs`), its operations (`ops.rs`), the
//! sweep back (`backward.rs`). Lay each beside its namesake of Part 1. Below
//! the operations stands the ladder of matrix products, [`matmul`].

mod backward;
pub mod matmul;
mod ops;
mod reduce;
mod tensor;

pub use tensor::Tensor;
