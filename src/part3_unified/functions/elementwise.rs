//! One result element from the elements at the same place.

use super::super::{Array, Binary, Context, Function, Tensor, Unary};
use crate::error::Error;

// ANCHOR: mul
/// The product of two equal shapes.
///
/// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
pub struct Mul;

impl Function for Mul {
    fn name(&self) -> &'static str {
        "mul"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        // Each operand is needed for the gradient of the other.
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![
            ctx.needs(0).then(|| grad_out.mul(&ctx.input(1))),
            ctx.needs(1).then(|| grad_out.mul(&ctx.input(0))),
        ]
    }
}
// ANCHOR_END: mul

/// The sum of two equal shapes: each operand gets `grad_out`.
pub struct Add;

impl Function for Add {
    fn name(&self) -> &'static str {
        "add"
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].binary(Binary::Add, inputs[1])
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        [0, 1].map(|i| ctx.needs(i).then(|| grad_out.clone())).into()
    }
}

/// The exponential, which is its own slope: `grad_a = grad_out * output`.
pub struct Exp;

impl Function for Exp {
    fn name(&self) -> &'static str {
        "exp"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let output = inputs[0].unary(Unary::Exp)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.mul(&ctx.output()))]
    }
}
