// saves_output: the exponential, as a Function that keeps one array.
//
// WHAT   `forward` computes e to the x and keeps what `backward` will ask
//        for; `backward` returns the gradient. Keep no array that is not in
//        the graph already.
// WHY    The result is in memory anyway, as long as somebody goes on with it.
//        An operand that is kept for the slope alone costs its numbers a
//        second time, in every layer.
// READ   Function and its context
// CHECK  cargo learn check saves_output

use rungrad::Result;
use rungrad::part3_unified::{
    Array, Context, Function, Gradients, Op, Tensor, Unary,
};

/// e to the power of each element.
pub struct Exp;

impl Function for Exp {
    fn op(&self) -> Op {
        Op::named("exp")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let out = inputs[0].unary(Unary::Exp)?;
        ctx.save_output(&out);
        ctx.save_input(0, inputs[0]);
        Ok(out)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.output()))]
    }
}
