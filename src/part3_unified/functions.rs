//! The operations that carry a gradient of their own, each a
//! [`Function`](super::Function). Chapters 22, 23 and 25 build them.

mod elementwise;
mod matrix;
mod movement;
mod numbers;
mod places;
mod reduce;

pub use elementwise::{
    Add, Cos, Div, Exp, Log, Mul, Relu, Sigmoid, Sin, Tanh, Where,
};
pub use matrix::{LogSoftmax, Matmul};
pub use movement::{Expand, Flip, Move, Pad, Permute, Reshape, Slice};
pub use numbers::{Over, Pow, Scale, Shift, Under};
pub use places::{Cat, Fold, Gather, Scatter, Windows};
pub use reduce::{Max, Sum};
