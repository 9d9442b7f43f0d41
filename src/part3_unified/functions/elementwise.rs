//! One result element from the elements at the same place.

use super::super::{Array, Binary, Context, Function, Tensor, Unary};
use crate::error::Error;
use crate::ops::Op;

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

// ANCHOR: add
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
// ANCHOR_END: add

/// The quotient of two equal shapes.
///
/// `grad_a = grad_out / b`, `grad_b = -(grad_out * output) / b`.
pub struct Div;

impl Function for Div {
    fn name(&self) -> &'static str {
        "div"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(1, inputs[1]);
        let output = inputs[0].binary(Binary::Div, inputs[1])?;
        if ctx.needs(1) {
            ctx.save_output(&output);
        }
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let b = ctx.input(1);
        let share = || grad_out.mul(&ctx.output()).neg();
        vec![
            ctx.needs(0).then(|| grad_out.div(&b)),
            ctx.needs(1).then(|| share().div(&b)),
        ]
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

/// The natural logarithm: `grad_a = grad_out / a`.
pub struct Log;

impl Function for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Log)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.div(&ctx.input(0)))]
    }
}

/// The positive part; at 0 the slope is 0. What did not pass gets no
/// gradient, not even from an infinite one.
pub struct Relu;

impl Function for Relu {
    fn name(&self) -> &'static str {
        "relu"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Relu)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let a = ctx.input(0);
        let stopped = a.at_most(&a.zeros());
        vec![Some(stopped.choose(&grad_out.zeros(), grad_out))]
    }
}

/// The hyperbolic tangent: `grad_a = grad_out * (1 - output^2)`.
pub struct Tanh;

impl Function for Tanh {
    fn name(&self) -> &'static str {
        "tanh"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let output = inputs[0].unary(Unary::Tanh)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let y = ctx.output();
        vec![Some(grad_out.mul(&y.mul(&y).neg().shift(1.0)))]
    }
}

// ANCHOR: sigmoid
/// The logistic function: `grad_a = grad_out * output * (1 - output)`.
pub struct Sigmoid;

impl Function for Sigmoid {
    fn name(&self) -> &'static str {
        "sigmoid"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let output = inputs[0].unary(Unary::Sigmoid)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let y = ctx.output();
        vec![Some(grad_out.mul(&y.mul(&y.neg().shift(1.0))))]
    }
}
// ANCHOR_END: sigmoid

/// The sine: `grad_a = grad_out * cos a`.
pub struct Sin;

impl Function for Sin {
    fn name(&self) -> &'static str {
        "sin"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Sin)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.mul(&ctx.input(0).cos()))]
    }
}

/// The cosine: `grad_a = -grad_out * sin a`.
pub struct Cos;

impl Function for Cos {
    fn name(&self) -> &'static str {
        "cos"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Cos)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.mul(&ctx.input(0).sin().neg()))]
    }
}

/// From each place the element of one operand or of the other. The mask, the
/// first operand, says which; it has no slope.
pub struct Where;

impl Function for Where {
    fn name(&self) -> &'static str {
        "where"
    }

    fn op(&self) -> Op {
        Op::Where
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].choose(inputs[1], inputs[2])
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let (mask, zeros) = (ctx.input(0).detach(), grad_out.zeros());
        vec![
            ctx.needs(0).then(|| zeros.clone()),
            ctx.needs(1).then(|| mask.choose(grad_out, &zeros)),
            ctx.needs(2).then(|| mask.choose(&zeros, grad_out)),
        ]
    }
}
