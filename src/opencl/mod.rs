//! Safe access to OpenCL devices, built from "Hello OpenCL" to "Time it
//! honestly". All of the crate's `unsafe` code, and all of its use of the
//! package `ocl`, is in this folder.
//!
//! The public types can be used from any thread. Every launch is checked
//! before the device sees it, and every failure is an [`Error`](crate::Error)
//! that reads as one sentence.
//!
//! ```no_run
//! # fn main() -> Result<(), rungrad::Error> {
//! use rungrad::opencl::{Gpu, Source};
//!
//! let text = "kernel void twice(global float *out, uint n) {
//!     uint i = get_global_id(0);
//!     if (i < n) out[i] *= 2.0f;
//! }";
//! let gpu = Gpu::first()?;
//! let out = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! let twice = Source::new("twice.cl", text, "twice");
//! let launch = gpu.launch_source(&twice).output(&out, 3).scalar(3_u32);
//! // SAFETY: the guard keeps every item inside the three numbers.
//! unsafe { launch.global(3).local(64).run()? };
//! assert_eq!(out.read()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Three environment variables configure it: `RUNGRAD_DEVICE` selects the
//! device of [`Gpu::first`]; `RUNGRAD_OPENCL_LIBRARY` names an OpenCL library
//! to load instead of the system's; and `RUNGRAD_SUBMISSION_THREAD`, `on` or
//! `off`, sets whether a thread submits commands to the driver, which is the
//! default for a GPU.
//!
//! A command that such a thread submits may fail after its call has returned.
//! Then the buffers that it was to write are lost, and so is everything
//! computed from them: reading one of them returns the error, in every thread,
//! until [`Buffer::write`] overwrites it.
//!
//! Reading order: [`devices`], [`Gpu`], [`Buffer`], [`Kernel`] and [`Source`],
//! [`Launch`], [`Event`], [`record`]. `link.rs` makes the crate build and run
//! on systems without OpenCL. The kernels themselves belong to the parts that
//! define them.

#![allow(unsafe_code)]

mod argument;
mod assembly;
mod buffer;
mod device;
mod driver;
mod element;
mod event;
mod extent;
mod gpu;
mod launch;
#[cfg(all(unix, not(target_os = "macos")))]
mod link;
mod missing;
mod program;
mod queue;
mod reach;
mod recorder;
mod signature;
#[cfg_attr(not(feature = "lazy"), allow(dead_code))]
mod source;
mod staging;
mod status;
mod submission;

pub use argument::Scalar;
pub use buffer::Buffer;
#[doc(hidden)]
pub use device::Bytes;
pub use device::{DeviceInfo, Kind, devices};
#[doc(hidden)]
pub use driver::{cache_damage, cache_failure, cache_folder, probe};
pub use element::Element;
pub(crate) use element::Stored;
pub use event::Event;
#[doc(no_inline)]
pub use event::Times;
pub use extent::Extent;
#[doc(hidden)]
pub use gpu::DEVICE_VARIABLE;
pub use gpu::Gpu;
pub(crate) use gpu::PerDevice;
pub use launch::Launch;
pub(crate) use reach::{LaunchArgs, Reached, counted, view};
pub use recorder::record;
pub(crate) use recorder::{start, stop};
#[doc(hidden)]
pub use source::GeneratedKernel;
pub(crate) use source::kernel;
pub use source::{Kernel, Source};
pub(crate) use staging::StagedRead;
