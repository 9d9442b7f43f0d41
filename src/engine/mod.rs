//! The fast backends of Part 3. They implement the public trait
//! [`Backend`](crate::part3_unified::Backend), as a reader's device would, and
//! [`Device`](crate::part3_unified::Device) prefers them when this module is
//! compiled in. Without it Part 3 computes the same on its plain backends, only
//! slower.
//!
//! - `cpu`: vectorized loops and matrix multiplication (`gemm`) on a pool of
//!   threads (`threads`)
//! - `opencl`: tuned kernels ([`kernels`], [`tuning`]), a pool of buffers
//! - `lazy`: collects operations and compiles them to one kernel
//!   ([`lazy::compiler`])

pub(crate) mod cpu;
pub(crate) mod gemm;
pub mod kernels;
pub mod lazy;
pub(crate) mod opencl;
pub(crate) mod threads;
pub mod tuning;
