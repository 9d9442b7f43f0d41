// An operand that needs no gradient gets one all the same, made from whatever
// is at hand.

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
            Some(match ctx.needs(0) {
                true => grad_out.mul(&ctx.input(1)),
                false => grad_out.clone(),
            }),
            Some(match ctx.needs(1) {
                true => grad_out.mul(&ctx.input(0)),
                false => grad_out.clone(),
            }),
        ]
    }
}
