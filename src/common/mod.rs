//! Code shared by all parts: errors, argument checks, shapes, the list of
//! operations, topological order, random numbers and `f16`.

pub mod checks;
pub(crate) mod elementwise;
pub mod error;
pub mod graph;
pub mod half;
pub mod ops;
pub mod rng;
pub mod shape;
