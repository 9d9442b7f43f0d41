// The slope of relu, which softplus only comes close to.

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
        let positive = x.unary(Unary::Relu)?;
        let negative = x.unary(Unary::Scale(-1.0))?.unary(Unary::Relu)?;
        let size = positive.binary(Binary::Add, &negative)?;
        let small = size.unary(Unary::Scale(-1.0))?.unary(Unary::Exp)?;
        let rest = small.unary(Unary::Shift(1.0))?.unary(Unary::Log)?;
        positive.binary(Binary::Add, &rest)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.input(0).relu()))]
    }
}

/// Computes the softplus: this is what users call.
pub fn softplus(x: &Tensor) -> Tensor {
    apply(Softplus, &[x])
}
