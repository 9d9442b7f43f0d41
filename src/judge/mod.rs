//! Checks for every engine: reference implementations in `f64`, derivatives by
//! finite differences, and tolerances for `f32` gradients.

pub mod gradcheck;
pub mod reference;
pub mod tolerance;
