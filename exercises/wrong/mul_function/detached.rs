// As in Part 2: the gradients end their own way back.

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

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![
            ctx.needs(0).then(|| grad_out.detach().mul(&ctx.input(1).detach())),
            ctx.needs(1).then(|| grad_out.detach().mul(&ctx.input(0).detach())),
        ]
    }
}
