// new_operator: softplus, an operation with a rule of its own.
//
// WHAT   softplus(x) = ln(1 + e^x), a relu without its corner, as a Function:
//        its value on arrays, its gradient on tensors.
// WHY    An operation of yours is as good as one of ours: it runs on every
//        device, it stands on tapes, and its gradient can be differentiated,
//        all because `backward` is written with tensor operations. And e^100
//        is more than a float can hold.
// READ   Add an operator
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
        // Save what backward asks for. Then compute, with
        // `x.unary(Unary::..)?`, of which there are Relu, Exp, Log,
        // Scale(-1.0) and Shift(1.0), and `a.binary(Binary::Add, &b)?`:
        // ln(1 + e^x) is relu(x) + ln(1 + e^-|x|), and that never
        // overflows.
        todo!("TODO(new_operator): the value")
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // The slope of softplus is an old friend.
        todo!("TODO(new_operator): vec![Some(grad_a)]")
    }
}

/// Computes the softplus: this is what users call.
pub fn softplus(x: &Tensor) -> Tensor {
    apply(Softplus, &[x])
}
