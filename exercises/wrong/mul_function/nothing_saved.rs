// Nothing is kept for backward.

use rungrad::Result;
use rungrad::part3_unified::{
    Array, Binary, Context, Function, Gradients, Op, Tensor,
};

/// The elementwise product of two equal shapes.
pub struct Mul;

impl Function for Mul {
    fn op(&self) -> Op {
        Op::named("mul")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![
            ctx.needs(0).then(|| grad_out.mul(&ctx.input(1))),
            ctx.needs(1).then(|| grad_out.mul(&ctx.input(0))),
        ]
    }
}
