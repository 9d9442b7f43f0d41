//! Products of matrices, and the logarithm of softmax.

use super::super::{Array, Binary, Context, Function, Reduce, Tensor, Unary};
use crate::error::Error;
use crate::ops::Keep;

/// The product of each matrix with its partner, the axes in front equal.
///
/// `grad_a = grad_out b^T`, `grad_b = a^T grad_out`.
pub struct Matmul;

impl Function for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].matmul(inputs[1])
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![
            ctx.needs(0).then(|| grad_out.matmul(&ctx.input(1).transpose())),
            ctx.needs(1).then(|| ctx.input(0).transpose().matmul(grad_out)),
        ]
    }
}

/// The logarithm of softmax along the last axis.
///
/// `grad_a = grad_out - softmax(a) * sum(grad_out)`, row by row.
pub struct LogSoftmax;

impl Function for LogSoftmax {
    fn name(&self) -> &'static str {
        "log_softmax"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let (a, last) = (inputs[0], inputs[0].shape().len() - 1);
        if a.is_empty() {
            ctx.save_output(a);
            return Ok(a.clone());
        }
        let less = |a: &Array, row: Array| {
            let row = row.unary(Unary::Scale(-1.0))?.expand(a.shape())?;
            a.binary(Binary::Add, &row)
        };
        // The largest of a row becomes 0, so no exponential exceeds 1.
        let most = a.reduce(Reduce::Max, &[last], Keep::Yes)?;
        let shifted = less(a, most)?;
        let total = shifted.unary(Unary::Exp)?;
        let total = total.reduce(Reduce::Sum, &[last], Keep::Yes)?;
        let output = less(&shifted, total.unary(Unary::Log)?)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let y = ctx.output();
        let last = y.shape().len() - 1;
        let total = grad_out.sum_over(&[last], Keep::Yes);
        vec![Some(grad_out.sub(&y.exp().mul(&total)))]
    }
}
