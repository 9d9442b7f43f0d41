//! Rungrad builds an automatic-differentiation engine three times, one rung
//! at a time: on CPU arrays, on raw OpenCL kernels, and as one tensor that
//! runs on every device. The book in `book/` tells the story; this crate is
//! the code that it quotes.
//!
//! Reading order:
//!
//! 1. [`part1_cpu`], and what its chapters build on the way: [`graph`],
//!    [`gradcheck`] and its [`tolerance`], [`tape`], [`draw`], and for training
//!    [`rng`], [`data`], [`progress`], [`metrics`].
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
//! costs, [`ops`], which fixes the order of the operations, [`checks`], which
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
pub use base::{checks, error, graph, ops, rng, shape};
pub use inspect::{draw, ledger, stopwatch, tape, timeline};
pub use judge::{gradcheck, reference, tolerance};
pub use train::{data, metrics, progress};

pub use error::{Error, Result, attempt};
pub use program::{args, run, run_with_help};
