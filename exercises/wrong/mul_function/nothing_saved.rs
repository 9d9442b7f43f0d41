// Nothing is kept for backward.

use rungrad::Error;
use rungrad::part3_unified::{Array, Binary, Context, Function, Tensor};

/// The elementwise product of two equal shapes.
pub struct Mul;

impl Function for Mul {
    fn name(&self) -> &'static str {
        "mul"
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
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
