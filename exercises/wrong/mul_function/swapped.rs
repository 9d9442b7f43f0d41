// Each gradient from the operand that it belongs to.

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
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![
            ctx.needs(0).then(|| grad_out.mul(&ctx.input(0))),
            ctx.needs(1).then(|| grad_out.mul(&ctx.input(1))),
        ]
    }
}
