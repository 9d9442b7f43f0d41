// new_operator: softplus, an operation with a rule of its own.
//
// WHAT   softplus(x) = ln(1 + e^x), a relu without its corner, as a Function:
//        its value on arrays, its gradient on tensors.
// WHY    An operation of yours is as good as one of ours: it runs on every
//        device, it stands on tapes, and its gradient can be differentiated,
//        all because `backward` is written with tensor operations. And e^100
//        is more than a float can hold.
// CHECK  cargo learn check new_operator

use rungrad::Result;
use rungrad::part3_unified::{
    Array, Binary, Context, Function, Gradients, Op, Tensor, Unary, apply,
};

/// ln(1 + e^x) of each element.
pub struct Softplus;

impl Function for Softplus {
    fn op(&self) -> Op {
        Op::named("softplus")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let x = inputs[0];
        ctx.save_input(0, x);
        x.unary(Unary::Exp)?.unary(Unary::Shift(1.0))?.unary(Unary::Log)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.input(0).sigmoid()))]
    }
}

/// Computes the softplus: this is what users call.
pub fn softplus(x: &Tensor) -> Tensor {
    apply(Softplus, &[x])
}
