//! The judge of every engine: what each operation gives in `f64`, slopes by
//! difference, and how far a right gradient may lie from them.

pub mod gradcheck;
pub mod reference;
pub mod tolerance;
