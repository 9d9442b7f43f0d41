//! The breadth of Part 3: more operations, layers, optimizers, and files of
//! weights. Everything here is written with what Part 3 makes public, so a
//! program of your own can do the same.
//!
//! The crate re-exports [`nn`], [`optim`], [`io`] and [`memory`] at its root.

mod arrays;
mod creation;
mod data;
pub mod functions;
mod gradient_check;
#[cfg(feature = "files")]
pub mod io;
#[cfg(feature = "files")]
pub mod memory;
pub mod nn;
pub mod optim;

pub use data::Data;
pub use gradient_check::gradcheck;
