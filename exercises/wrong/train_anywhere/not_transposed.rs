// The rule of a product of numbers: on squares it even has the right shape.

use rungrad::Result;
use rungrad::part3_unified::{
    Array, Context, Function, Gradients, Op, Tensor, apply,
};

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { matmul, ..Ops::reference() }
}

/// Multiplies (m, k) x (k, n) -> (m, n).
fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
    apply(Mine, &[a, b])
}

struct Mine;

impl Function for Mine {
    fn op(&self) -> Op {
        Op::named("matmul")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        inputs[0].matmul(inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, b) = (ctx.input(0), ctx.input(1));
        vec![Some(grad_out.matmul(&b)), Some(a.matmul(grad_out))]
    }
}
