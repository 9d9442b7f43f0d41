//! The same elements elsewhere: repeated, or on another device.

use super::super::{Array, Context, Device, Function, Tensor};
use crate::error::{Error, or_raise};
use crate::ops::Op;

/// The operand repeated to a larger shape. Its gradient is the mirror:
/// `grad_out`, summed over what was repeated.
pub struct Expand {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn op(&self) -> Op {
        Op::Expand(self.shape.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].expand(&self.shape)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.sum_to(&self.from))]
    }
}

/// A copy on another device. Its gradient travels back.
pub struct Move {
    /// The device of the result.
    pub to: Device,
    /// The device of the operand.
    pub from: Device,
}

impl Function for Move {
    fn name(&self) -> &'static str {
        "to"
    }

    fn op(&self) -> Op {
        Op::To(self.to.to_string())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].to(self.to)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(or_raise(grad_out.to(self.from)))]
    }
}
