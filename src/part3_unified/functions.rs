//! The operations: each is a method of [`Tensor`], next to the [`Function`]
//! that computes its gradient, if it needs one. They are built in the chapters
//! from "Eight functions, one dispatch" to "Add an operator".
//!
//! Each function computes the gradient of the method with the same name, and is
//! documented in the source. A method without a function is composed of other
//! operations, and its gradient follows from theirs. See [`Tensor`] for the
//! full list.
//!
//! Reading order: `elementwise`, `reduce`, `matrix`, `movement`, `loss`.
//!
//! [`Function`]: super::Function
//! [`Tensor`]: super::Tensor

mod elementwise;
mod loss;
mod matrix;
mod movement;
mod reduce;

#[doc(hidden)]
pub use self::{elementwise::*, loss::*, matrix::*, movement::*, reduce::*};
