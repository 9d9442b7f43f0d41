//! The fast backends of Part 3. They implement the public trait
//! [`Backend`], as a reader's device would, and
//! [`Device`] prefers them when this module is
//! compiled in. Without it Part 3 computes the same on its plain backends, only
//! slower.
//!
//! `src/engine/README.md` follows a call to its launch, and lists the algorithm
//! of each tuned subject.
//!
//! - `cpu`: vectorized loops and matrix multiplication (`gemm`) on a pool of
//!   threads (`threads`)
//! - `opencl`: tuned kernels (`kernels`, [`tuning`]), a pool of buffers
//! - `lazy`: collects operations and compiles them to one kernel
//!   (`lazy::compiler`)

pub(crate) mod cpu;
pub(crate) mod gemm;
#[cfg(feature = "opencl")]
#[doc(hidden)]
pub mod kernels;
#[cfg(feature = "lazy")]
#[doc(hidden)]
pub mod lazy;
#[cfg(feature = "opencl")]
pub(crate) mod opencl;
pub(crate) mod threads;
#[cfg(feature = "opencl")]
pub mod tuning;

use crate::error::Result;
use crate::part3_unified::{Backend, Device};

/// Returns the backend of a device that the engine has, if it has one. Opening
/// an OpenCL device may fail.
pub(crate) fn backend(device: Device) -> Option<Result<&'static dyn Backend>> {
    let backend: Result<&'static dyn Backend> = match device {
        Device::Cpu => Ok(&cpu::Cpu),
        #[cfg(feature = "opencl")]
        Device::Gpu(i) => opencl::OpenCl::open(i).map(|it| it as _),
        #[cfg(feature = "lazy")]
        Device::Fused(i) => lazy::Fused::open(i).map(|it| it as _),
        #[cfg(feature = "lazy")]
        Device::FusedCpu => Ok(lazy::Fused::on_the_processor()),
        _ => return None,
    };
    Some(backend)
}
