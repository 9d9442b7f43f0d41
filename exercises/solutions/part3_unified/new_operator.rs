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
        // HOLE
        //| // Save what backward asks for. Then compute, with
        //| // `x.unary(Unary::..)?`, of which there are Relu, Exp, Log,
        //| // Scale(-1.0) and Shift(1.0), and `a.binary(Binary::Add, &b)?`:
        //| // ln(1 + e^x) is relu(x) + ln(1 + e^-|x|), and that never
        //| // overflows.
        //| todo!("TODO(new_operator): the value")
        ctx.save_input(0, x);
        let positive = x.unary(Unary::Relu)?;
        let negative = x.unary(Unary::Scale(-1.0))?.unary(Unary::Relu)?;
        let size = positive.binary(Binary::Add, &negative)?;
        let small = size.unary(Unary::Scale(-1.0))?.unary(Unary::Exp)?;
        let rest = small.unary(Unary::Shift(1.0))?.unary(Unary::Log)?;
        positive.binary(Binary::Add, &rest)
        // END HOLE
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // HOLE
        //| // The slope of softplus is an old friend.
        //| todo!("TODO(new_operator): vec![Some(grad_a)]")
        vec![Some(grad_out.mul(&ctx.input(0).sigmoid()))]
        // END HOLE
    }
}

/// Computes the softplus: this is what users call.
pub fn softplus(x: &Tensor) -> Tensor {
    apply(Softplus, &[x])
}
