// mul_function: a product as a Function.
//
// WHAT   `forward` keeps what `backward` will ask for, and `backward` returns
//        one gradient for each operand that needs one.
// WHY    This is the rule of `mul_rule` a third time, and the last: written
//        with tensor operations it runs on every device, and its own gradient
//        can be taken. What is kept lives as long as the graph, so nothing is
//        kept and nothing is computed for an operand that needs no gradient.
// READ   Function and its context
// CHECK  cargo learn check mul_function

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
        // Keep what backward will ask for: `ctx.needs(i)` tells whether
        // operand i needs a gradient, `ctx.save_input(i, inputs[i])`
        // keeps an operand.
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // `ctx.input(i)` is what forward kept; None is for an operand
        // that needs no gradient.
        todo!("TODO(mul_function): vec![grad_a, grad_b]")
    }
}
