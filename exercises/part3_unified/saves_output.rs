// saves_output: the exponential, as a Function that saves one array.
//
// WHAT   `forward` computes e^x and saves what `backward` will need;
//        `backward` returns the gradient. Save no array that is not in the
//        graph already.
// WHY    The result stays in memory anyway as long as a later operation uses
//        it. Saving the operand would need a second array, in every layer.
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
        // `inputs[0].unary(Unary::Exp)?` is the result. `ctx.save_input(0,
        // array)` and `ctx.save_output(&array)` save arrays.
        todo!("TODO(saves_output): compute, and save")
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // `ctx.input(0)` and `ctx.output()` return them as tensors.
        todo!("TODO(saves_output): vec![Some(grad_a)]")
    }
}
