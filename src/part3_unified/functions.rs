//! The operations, each a method of [`Tensor`] beside the [`Function`] that
//! carries its gradient, where it has one of its own. The chapters from "Eight
//! functions, one dispatch" to "Add an operator" build them.
//!
//! A function below carries the gradient of the method of its name. A method
//! without one is made of others, and so are its slopes; [`Tensor`] lists
//! them all.
//!
//! Reading order: the files as they stand here. The first five have the
//! operations of [`crate::ops`], in that order.
//!
//! [`Function`]: super::Function

mod elementwise;
mod loss;
mod matrix;
mod movement;
mod reduce;

mod activations;
pub(super) mod attention;
mod comparison;
mod convolution;
mod extremes;
mod image;
mod indexing;
pub(super) mod normalization;
mod powers;
mod rounding;
mod scalars;
mod slicing;
mod statistics;
mod trigonometry;

pub use activations::*;
pub use attention::SelfAttention;
pub use comparison::*;
pub use convolution::*;
pub use elementwise::*;
pub use image::*;
pub use indexing::*;
pub use loss::*;
pub use matrix::*;
pub use movement::*;
pub use normalization::LayerNorm;
pub use powers::*;
pub use reduce::*;
pub use rounding::*;
pub use scalars::*;
pub use slicing::*;
pub use trigonometry::*;

use std::borrow::Cow;

use super::Tensor;
use super::arithmetic::alike;
use crate::checks;
use crate::error::or_raise;

/// Stretches the operands to one shape. The gradient of each finds its way
/// back through the [`Expand`] that this puts into the graph.
#[track_caller]
fn stretch<'a, const N: usize>(
    op: &str,
    operands: [&'a Tensor; N],
) -> [Cow<'a, Tensor>; N] {
    let (first, others) = (operands[0], &operands[1..]);
    for other in others {
        or_raise(alike(op, &first.array, &other.array));
    }
    if others.iter().all(|other| other.shape() == first.shape()) {
        return operands.map(Cow::Borrowed);
    }
    let mut shape = first.shape().to_vec();
    for other in others {
        shape = or_raise(checks::broadcast(op, &shape, other.shape()));
    }
    operands.map(|operand| match operand.shape() == shape {
        true => Cow::Borrowed(operand),
        false => Cow::Owned(operand.expand(&shape)),
    })
}
