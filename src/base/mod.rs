//! Code shared by all parts: errors, argument checks, shapes, the list of
//! operations, topological order, random numbers, `f16`, and the CPU's matrix
//! multiplication and thread pool.

pub mod checks;
pub mod error;
pub mod graph;
pub mod half;
pub mod ops;
pub(crate) mod product;
pub mod rng;
pub mod shape;
pub(crate) mod share;
