//! OpenCL behind one fence, built in chapters 12 to 14: all of the crate's
//! `unsafe`, and all of its use of the package `ocl`, is in this folder.
//!
//! What comes out is safe to use from any thread, checks every launch before
//! the device sees it, and answers with an [`Error`](crate::Error) that is
//! one sentence.
//!
//! ```no_run
//! # fn main() -> Result<(), rungrad::Error> {
//! use rungrad::opencl::{Gpu, kernels};
//!
//! let gpu = Gpu::first()?;
//! let a = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! let out = gpu.allocate::<f32>(3)?;
//! gpu.launch(&kernels::EW_MUL)
//!     .input(&a, 3)
//!     .input(&a, 3)
//!     .output(&out, 3)
//!     .scalar(3_u32)
//!     .global(3)
//!     .local(256)
//!     .run()?;
//! assert_eq!(out.read()?, [1.0, 4.0, 9.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Two variables of the environment steer it: `RUNGRAD_DEVICE` picks the
//! device of [`Gpu::first`], and `RUNGRAD_OPENCL_LIBRARY` names another
//! OpenCL library than the system's.
//!
//! Reading order: [`devices`], [`Gpu`], [`Buffer`], [`Kernel`] and
//! [`kernels`], [`Launch`], [`Event`], [`record`]. `link.rs` is why all this builds, and
//! runs, where there is no OpenCL at all.

#![allow(unsafe_code)]

mod absence;
mod argument;
mod buffer;
mod device;
mod event;
mod extent;
mod gpu;
pub mod kernels;
mod launch;
#[cfg(all(unix, not(target_os = "macos")))]
mod link;
mod program;
mod recorder;
mod signature;
mod source;
mod status;

pub use argument::Scalar;
pub use buffer::{Buffer, Element};
pub use device::{Bytes, DeviceInfo, Kind, devices};
pub use event::{Event, Times};
pub use extent::Extent;
pub use gpu::{DEVICE_VARIABLE, Gpu, Memory};
pub use launch::Launch;
pub use recorder::record;
pub(crate) use recorder::{start, stop};
pub use source::{Kernel, Source};
