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
#[doc(hidden)]
pub mod io;
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod nn;
#[doc(hidden)]
pub mod optim;

#[doc(hidden)]
pub use data::Data;
#[doc(hidden)]
pub use gradient_check::gradcheck;
