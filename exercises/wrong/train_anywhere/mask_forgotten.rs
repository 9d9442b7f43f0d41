// The positive part, with the rule of a copy.

use rungrad::Error;
use rungrad::part3_unified::{Array, Context, Function, Tensor, Unary, apply};

use super::Ops;

/// The operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// The positive part.
fn relu(a: &Tensor) -> Tensor {
    apply(Mine, &[a])
}

struct Mine;

impl Function for Mine {
    fn name(&self) -> &'static str {
        "relu"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Relu)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.clone())]
    }
}
