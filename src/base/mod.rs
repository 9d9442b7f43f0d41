//! What every part stands on: mistakes as sentences, shapes, the operations'
//! names, the checks of their operands, the order of a graph, random
//! numbers, numbers in 16 bits, the product of matrices, and work that threads share.

pub mod checks;
pub mod error;
pub mod graph;
pub mod half;
pub mod ops;
pub(crate) mod product;
pub mod rng;
pub mod shape;
pub(crate) mod share;
