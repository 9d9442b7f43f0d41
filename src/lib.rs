//! Rungrad builds an automatic-differentiation engine three times, one rung
//! at a time: on CPU arrays, on raw OpenCL kernels, and as one tensor that
//! runs on every device. The book in `book/` tells the story, and `cargo
//! learn book` opens it; this crate is the code that it quotes.
//!
//! # The same numbers three times
//!
//! [Part 1](part1_cpu) records every operation on arrays of the processor:
//!
//! ```
//! use rungrad::part1_cpu::Tensor;
//!
//! let (a, b) = (Tensor::new(&[2], &[2., 3.]), Tensor::new(&[2], &[3., 4.]));
//! (&a * &b * &b).sum().backward();
//! assert_eq!(a.grad().unwrap().as_slice().unwrap(), [9., 16.]);
//! ```
//!
//! [Part 2](part2_gpu) launches a kernel for each, on a device that it is
//! told, and records only what you ask for:
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
//! [Part 3](part3_unified) has one tensor for every device. It is the one to
//! build on: networks, optimizers, files of weights, and operations, modules
//! and devices of your own.
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
//! # Use it in a program of your own
//!
//! The crate is not on crates.io. Depend on a checkout of it:
//!
//! ```toml
//! [dependencies]
//! rungrad = { path = "../rungrad" }
//!
//! # Compiles the dependencies with optimization, also in a debug build.
//! [profile.dev.package."*"]
//! opt-level = 3
//! ```
//!
//! Without the last two lines `cargo run` trains about 40 times slower than
//! `cargo run --release`, and with them 1.1 to 1.3 times slower. They belong in
//! the `Cargo.toml` of your own workspace, because Cargo ignores the profiles of
//! a dependency. A first program:
//!
//! ```no_run
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::optim::{Adam, Optimizer};
//! use rungrad::part3_unified::{Device, Tensor, io};
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
//! 1. [`part1_cpu`], and what its chapters build on the way: [`graph`],
//!    [`gradcheck`] and its [`tolerance`], [`tape`], [`draw`], and for training
//!    [`rng`], [`data`], [`loader`], [`progress`], [`metrics`].
//! 2. [`workgroup`], and [`part2_gpu`] on [`opencl`], with [`stopwatch`] and
//!    [`timeline`], which tell how long its work takes, and when.
//! 3. [`part3_unified`].
//!
//! A module names the chapters that build it, by their titles in quotes. What
//! the parts share has short paths and lies in four folders: `base`, what
//! every part stands on; `judge`, what is right; `inspect`, pictures, counts
//! and times; `train`, what a training loop needs. So `rungrad::gradcheck` is
//! `src/judge/gradcheck.rs`.
//!
//! Parts 2 and 3 need the feature `opencl`, which is on unless it is switched
//! off; without it Part 1 and what it stands on build for WebAssembly too.
//!
//! Beside the parts stand [`reference`](mod@reference), the slow and obvious
//! arithmetic that judges every engine, [`ledger`], which counts what a step
//! costs, [`scope`], which says for which part of a program, [`ops`], which fixes the order of the operations, [`checks`], which
//! looks at what each is given, [`error`], which turns a mistake into one
//! sentence, and [`program`], the frame of every example.

mod base;
mod inspect;
mod judge;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod part1_cpu;
#[cfg(feature = "opencl")]
pub mod part2_gpu;
#[cfg(feature = "opencl")]
pub mod part3_unified;
pub mod program;
mod train;
pub mod workgroup;

use base::product;
pub use base::{checks, error, graph, half, ops, rng, shape};
#[cfg(feature = "opencl")]
pub use inspect::scope;
pub use inspect::{draw, ledger, stopwatch, tape, timeline};
pub use judge::{gradcheck, reference, tolerance};
pub use train::{data, loader, metrics, progress};

pub use error::{Error, Result, attempt};
#[doc(inline)]
pub use program::{args, run, run_with_help};
