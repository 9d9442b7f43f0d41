// The numbers are fetched, and what comes of them stays with the processor.

use rungrad::Result;
use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply,
};

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// Computes the positive part.
fn relu(a: &Tensor) -> Tensor {
    apply(Mine, &[a])
}

struct Mine;

impl Function for Mine {
    fn op(&self) -> Op {
        Op::named("relu")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        let values = inputs[0].to_vec()?;
        let values: Vec<f32> = values.iter().map(|x| x.max(0.0)).collect();
        Array::new(inputs[0].shape(), &values, Device::Cpu)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0);
        vec![Some(grad_out.mul(&a.gt(&a.zeros_like())))]
    }
}
