//! Rungrad builds an automatic-differentiation engine three times, one rung
//! at a time: on CPU arrays, on raw OpenCL kernels, and as one tensor that
//! runs on every device. The book in `book/` tells the story; this crate is
//! the code that it quotes.
//!
//! Reading order:
//!
//! 1. [`part1_cpu`], and what its chapters build on the way: [`graph`],
//!    [`gradcheck`] and its [`doubt`], [`tape`], [`draw`], and for training
//!    [`rng`], [`data`], [`progress`], [`exam`].
//! 2. [`workgroup`], and [`part2_gpu`] on [`opencl`], with [`stopwatch`] and
//!    [`timeline`], which tell how long its work takes, and when.
//! 3. [`part3_unified`].
//!
//! A module names the chapters that build it, by their titles in quotes.
//!
//! Parts 2 and 3 need the feature `opencl`, which is on unless it is switched
//! off; without it Part 1 and what it stands on build for WebAssembly too.
//!
//! Beside the parts stand [`reference`](mod@reference), the slow and obvious
//! arithmetic that judges every engine, [`ledger`], which counts what a step
//! costs, [`ops`], which fixes the order of the operations, [`checks`], which
//! looks at what each is given, [`error`], which
//! turns a mistake into one sentence, and [`program`], the frame of every
//! example.

pub mod checks;
pub mod data;
pub mod doubt;
pub mod draw;
pub mod error;
pub mod exam;
pub mod gradcheck;
pub mod graph;
pub mod ledger;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod ops;
pub mod part1_cpu;
#[cfg(feature = "opencl")]
pub mod part2_gpu;
#[cfg(feature = "opencl")]
pub mod part3_unified;
mod product;
pub mod program;
pub mod progress;
pub mod reference;
pub mod rng;
pub mod shape;
pub mod stopwatch;
pub mod tape;
pub mod timeline;
pub mod workgroup;

pub use error::{Error, Result, attempt};
pub use program::{run, run_with_help, words};
