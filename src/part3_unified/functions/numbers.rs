//! Arithmetic with a number, which is a parameter and gets no gradient.

use super::super::{Array, Context, Function, Tensor, Unary};
use crate::error::Error;
use crate::ops::Op;

/// A product with a number, which gets no gradient.
pub struct Scale(pub f32);

impl Function for Scale {
    fn name(&self) -> &'static str {
        "scale"
    }

    fn op(&self) -> Op {
        Op::Scale(self.0)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].unary(Unary::Scale(self.0))
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.scale(self.0))]
    }
}

/// A sum with a number, which changes no slope.
pub struct Shift(pub f32);

impl Function for Shift {
    fn name(&self) -> &'static str {
        "shift"
    }

    fn op(&self) -> Op {
        Op::Shift(self.0)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].unary(Unary::Shift(self.0))
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.clone())]
    }
}

/// A quotient over a number, which gets no gradient.
pub struct Over(pub f32);

impl Function for Over {
    fn name(&self) -> &'static str {
        "over"
    }

    fn op(&self) -> Op {
        Op::Over(self.0)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].unary(Unary::Over(self.0))
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.over(self.0))]
    }
}

/// A quotient under a number: `grad_a = -(grad_out * output) / a`.
pub struct Under(pub f32);

impl Function for Under {
    fn name(&self) -> &'static str {
        "under"
    }

    fn op(&self) -> Op {
        Op::Under(self.0)
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let output = inputs[0].unary(Unary::Under(self.0))?;
        ctx.save_input(0, inputs[0]);
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let share = grad_out.mul(&ctx.output()).neg();
        vec![Some(share.div(&ctx.input(0)))]
    }
}

/// A power with a number for exponent:
/// `grad_a = grad_out * number * a^(number - 1)`.
pub struct Pow(pub f32);

impl Function for Pow {
    fn name(&self) -> &'static str {
        "pow"
    }

    fn op(&self) -> Op {
        Op::Pow(self.0)
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Pow(self.0))
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let slope = match self.0 {
            0.0 => ctx.input(0).zeros(),
            number => ctx.input(0).pow(number - 1.0).scale(number),
        };
        vec![Some(grad_out.mul(&slope))]
    }
}
