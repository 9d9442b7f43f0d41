// mul_function: multiplication as a Function.
//
// WHAT   `forward` saves what `backward` will need, and `backward` returns one
//        gradient for each operand that needs one.
// WHY    This is the rule of `mul_rule` for the third and last time. Because
//        it consists of tensor operations, it runs on every device and can be
//        differentiated itself. What is saved lives as long as the graph, so
//        nothing is saved or computed for an operand that needs no gradient.
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
        // HOLE
        //| // Save what backward will need: `ctx.needs(i)` returns whether
        //| // operand i needs a gradient, and `ctx.save_input(i, inputs[i])`
        //| // saves an operand.
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        // END HOLE
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // HOLE
        //| // `ctx.input(i)` is an operand that forward saved. Use None for an
        //| // operand that needs no gradient.
        //| todo!("TODO(mul_function): vec![grad_a, grad_b]")
        vec![
            ctx.needs(0).then(|| grad_out.mul(&ctx.input(1))),
            ctx.needs(1).then(|| grad_out.mul(&ctx.input(0))),
        ]
        // END HOLE
    }
}
