//! Shared by the tests of all packages: one specification for every engine,
//! seeded values, child processes, and skips that are printed and counted.
//!
//! Reading order: [`engine`] is the interface that an engine implements to be
//! tested; [`spec`], [`mod@edges`], [`mod@refusals`], [`network`],
//! [`mod@operators`] and [`verdict`] are the specification, each with a macro
//! that defines its tests. The other modules are helpers. Without the feature
//! `engines`, the crate has only the helpers that do not need `rungrad`.
#![allow(missing_docs, reason = "the name of a test is its documentation")]

pub mod child;
pub mod damage;
pub mod place;
pub mod random;

#[cfg(feature = "engines")]
pub mod calls;
#[cfg(feature = "engines")]
pub mod cases;
#[cfg(feature = "engines")]
pub mod edges;
#[cfg(feature = "engines")]
pub mod elementwise;
#[cfg(feature = "engines")]
pub mod engine;
#[cfg(feature = "engines")]
mod leaks;
#[cfg(feature = "engines")]
pub mod network;
#[cfg(feature = "engines")]
pub mod operators;
#[cfg(feature = "engines")]
pub mod refusal;
#[cfg(feature = "engines")]
pub mod refusals;
#[cfg(feature = "engines")]
pub mod spec;
#[cfg(feature = "engines")]
pub mod verdict;

#[cfg(feature = "opencl")]
pub mod device;
#[cfg(feature = "engine")]
pub mod launches;

#[cfg(feature = "engines")]
pub use leaks::{Clean, clean};
