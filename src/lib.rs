//! Rungrad builds an automatic-differentiation engine three times, one rung at
//! a time: on CPU arrays, on OpenCL kernels, and as one tensor type that runs
//! on every device. This crate is the code that the book in `book/` explains;
//! `cargo learn book` opens the book.
//!
//! # The same example in each part
//!
//! [Part 1](part1_cpu) computes on CPU arrays and records every operation:
//!
//! ```
//! use rungrad::part1_cpu::Tensor;
//!
//! let (a, b) = (Tensor::new(&[2], &[2., 3.]), Tensor::new(&[2], &[3., 4.]));
//! (&a * &b * &b).sum().backward();
//! assert_eq!(a.grad().unwrap().as_slice().unwrap(), [9., 16.]);
//! ```
//!
//! [Part 2](part2_gpu) launches a kernel for each operation, on a device that
//! you choose, and records only operations whose operands require a gradient:
//!
//! ```no_run
//! use rungrad::opencl::Gpu;
//! use rungrad::part2_gpu::Tensor;
//!
//! let gpu = Gpu::first()?;
//! let a = Tensor::new(&gpu, &[2], &[2., 3.])?.requires_grad();
//! let b = Tensor::new(&gpu, &[2], &[3., 4.])?;
//! a.mul(&b).mul(&b).sum().backward();
//! assert_eq!(a.grad().unwrap().to_vec()?, [9., 16.]);
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! [Part 3](part3_unified) has one tensor type for every device. It is the
//! part to build on: it has neural networks, optimizers and weight files, and
//! accepts custom operations, modules and devices.
//!
//! ```
//! use rungrad::part3_unified::{Device, Tensor};
//!
//! let device = Device::from_env()?; // or Device::Cpu, or "gpu:0".parse()?
//! # let device = Device::Cpu;
//! let a = Tensor::new(&[2], &[2., 3.], device)?.requires_grad();
//! let b = Tensor::new(&[2], &[3., 4.], device)?;
//! (&a * &b * &b).sum().backward();
//! assert_eq!(a.grad().unwrap().to_vec()?, [9., 16.]);
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! # Use it in your program
//!
//! The crate is not on crates.io. Depend on a checkout:
//!
//! ```toml
//! [dependencies]
//! rungrad = { path = "../rungrad" }
//!
//! # Optimizes the dependencies, even in a debug build.
//! [profile.dev.package."*"]
//! opt-level = 3
//! ```
//!
//! Without the last two lines, `cargo run` trains far slower than
//! `cargo run --release`; with them, it is almost as fast (see
//! docs/benchmarks.md). They belong in the `Cargo.toml` of your workspace,
//! because Cargo ignores the profiles of a dependency. A first program:
//!
//! ```no_run
//! use rungrad::nn::{Linear, Module, Parameters};
//! use rungrad::optim::{Adam, Optimizer};
//! use rungrad::part3_unified::{Device, Tensor};
//! use rungrad::io;
//! use rungrad::rng::Random;
//!
//! fn main() -> std::process::ExitCode {
//!     rungrad::run(|| {
//!         let x = Tensor::rand(&[32, 3], 1, Device::Cpu)?;
//!         let y = &x * 2.0 - 1.0;
//!         let mut layer = Linear::new(3, 3, &mut Random::new(0));
//!         let mut adam = Adam::new(0.05);
//!         for _ in 0..500 {
//!             layer.forward(&x).mse(&y).backward();
//!             adam.step(layer.parameters_mut());
//!         }
//!         println!("loss {}", layer.forward(&x).mse(&y).item()?);
//!         io::save("layer.safetensors", &layer)
//!     })
//! }
//! ```
//!
//! # Reading order
//!
//! 1. [`part1_cpu`], and the modules that its chapters build: `graph`,
//!    `gradcheck` and its `tolerance`, [`tape`], `draw`, and for training
//!    [`rng`], [`data`], [`loader`], `progress`, [`metrics`].
//! 2. `workgroup`, and [`part2_gpu`] on [`opencl`], with `stopwatch` and
//!    [`timeline`], which measure its work.
//! 3. [`part3_unified`].
//!
//! The documentation of a module names the chapters that build it, by their
//! titles in quotes. Modules that the parts share are re-exported with short
//! paths. Their sources are in four folders: `common`, basic building blocks;
//! `judge`, references and checks; `inspect`, figures, counts and times;
//! `train`, data and metrics for training. For example, `rungrad::gradcheck`
//! is `src/judge/gradcheck.rs`.
//!
//! These pages list what a program of your own uses. Modules named here without
//! a link serve the book, its tests and its exercises. They are public, but
//! documented only in their sources.
//!
//! # Features
//!
//! All are on by default.
//!
//! - `opencl`: Part 2, and the OpenCL devices of Part 3. Without it, the rest
//!   also builds for WebAssembly.
//! - `engine`: the fast backends of Part 3, in [`engine`]. Without it, Part 3
//!   computes the same on its plain backends, only slower.
//! - `lazy`: the devices that compile expressions to kernels.
//! - `files`: [`io`], the files of weights and checkpoints, and [`memory`].
//!
//! Other shared modules:
//!
//! - `reference`: simple reference implementations in `f64`, against which
//!   every engine is tested
//! - [`ledger`]: counts the nodes, launches, allocations and bytes of a step
//! - `scope`: attributes these costs to the parts of a program
//! - `ops`: the list of operations, in order
//! - `checks`: checks of the arguments of operations
//! - `error`: [`Error`] and its sentences
//! - `program`: the main function of every example

// The engine uses more of the other modules than a build without it.
#![cfg_attr(
    not(all(
        feature = "files",
        feature = "lazy",
        feature = "opencl",
        feature = "part3"
    )),
    allow(dead_code, unused_imports)
)]

mod common;
#[cfg(feature = "engine")]
pub mod engine;
/// Without the backends of the engine, only the compiler that writes kernels
/// as text, which needs no device.
#[cfg(all(feature = "part3", not(feature = "engine")))]
#[doc(hidden)]
pub mod engine {
    /// The compiler of the lazy devices.
    pub mod lazy {
        pub mod compiler;
    }
}
mod inspect;
mod judge;
#[cfg(feature = "part3")]
pub mod library;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod part1_cpu;
#[cfg(feature = "opencl")]
pub mod part2_gpu;
#[cfg(feature = "part3")]
pub mod part3_unified;
#[doc(hidden)]
pub mod program;
mod train;
#[doc(hidden)]
pub mod workgroup;

pub(crate) use common::elementwise;
pub use common::rng;
#[doc(hidden)]
pub use common::{checks, error, graph, half, ops, shape};
#[doc(hidden)]
pub use inspect::{draw, scope, stopwatch};
pub use inspect::{ledger, tape, timeline};
#[doc(hidden)]
pub use judge::{gradcheck, reference, tolerance};
#[cfg(feature = "part3")]
#[doc(inline)]
pub use library::functions::{Conv1dOptions, ConvOptions};
#[cfg(feature = "part3")]
#[doc(inline)]
pub use library::{Data, gradcheck, nn, optim};
#[cfg(feature = "files")]
#[doc(inline)]
pub use library::{io, memory};
#[cfg(feature = "part3")]
#[doc(no_inline)]
pub use part3_unified::{
    Array, Axis, Context, DType, Device, Element, Function, Gradients, Keep,
    Op, Tensor, apply, enable_grad, grad, grad_with, no_grad, try_apply,
};
#[doc(hidden)]
pub use train::progress;
pub use train::{data, loader, metrics};

#[doc(inline)]
pub use error::{Error, Result, ShapeRule};
#[doc(hidden)]
pub use program::{args, run_with_help};
#[doc(inline)]
pub use program::{attempt, run};
