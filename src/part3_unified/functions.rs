//! The operations, each a [`Function`], in the order of [`crate::ops`] and
//! then Part 3's own. Chapters 22, 23 and 25 build them.

mod elementwise;
mod movement;
mod reduce;

pub use elementwise::{Add, Exp, Mul};
pub use movement::{Expand, Move};
pub use reduce::Sum;
