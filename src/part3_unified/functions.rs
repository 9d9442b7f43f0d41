//! The operations: each is a method of [`Tensor`], next to the [`Function`]
//! that computes its gradient, if it needs one. They are built in the chapters
//! from "Eight functions, one dispatch" to "Add an operator".
//!
//! Each function below computes the gradient of the method with the same name.
//! A method without a function is composed of other operations, and its
//! gradient follows from theirs. See [`Tensor`] for the full list.
//!
//! Reading order: the modules in the order in which they are declared here.
//! The first five contain the operations of [`crate::ops`], in that order.
//!
//! [`Function`]: super::Function

mod elementwise;
mod loss;
mod matrix;
mod movement;
mod reduce;

pub use elementwise::*;
pub use loss::*;
pub use matrix::*;
pub use movement::*;
pub use reduce::*;

use std::borrow::Cow;

use super::Tensor;
use super::arithmetic::check_same_kind;
use crate::checks;
use crate::error::or_raise;

/// Broadcasts the operands to a common shape. The [`Expand`] nodes that this
/// adds to the graph sum each gradient back to its operand's shape.
#[track_caller]
pub(crate) fn stretch<'a, const N: usize>(
    op: &str,
    operands: [&'a Tensor; N],
) -> [Cow<'a, Tensor>; N] {
    let (first, others) = (operands[0], &operands[1..]);
    for other in others {
        or_raise(check_same_kind(op, &first.array, &other.array));
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
