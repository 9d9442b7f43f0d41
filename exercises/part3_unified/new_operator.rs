// new_operator: softplus, an operation with its own backward rule.
//
// WHAT   Write softplus(x) = ln(1 + e^x), a smooth version of ReLU, as a
//        `Function`: its value on arrays, its gradient on tensors.
// WHY    Your operation is equal to the engine's own: it runs on every device,
//        it appears on tapes, and its gradient can be differentiated, because
//        `backward` consists of tensor operations. Note that e^100 overflows
//        an `f32`.
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
        // Save what backward needs. Then compute with
        // `x.unary(Unary::..)?`, which has Relu, Exp, Log, Scale(-1.0) and
        // Shift(1.0), and with `a.binary(Binary::Add, &b)?`: ln(1 + e^x)
        // is relu(x) + ln(1 + e^-|x|), which never overflows.
        todo!("TODO(new_operator): the value")
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        // The derivative of softplus is the sigmoid.
        todo!("TODO(new_operator): vec![Some(grad_a)]")
    }
}

/// Computes softplus. This is the public function.
pub fn softplus(x: &Tensor) -> Tensor {
    apply(Softplus, &[x])
}
