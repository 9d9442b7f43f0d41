//! Instruments: a graph as a record and as a picture, and what a step costs in
//! launches, in bytes and in time.

pub mod draw;
pub mod ledger;
#[cfg(feature = "opencl")]
pub mod scope;
pub mod stopwatch;
pub mod tape;
pub mod timeline;
