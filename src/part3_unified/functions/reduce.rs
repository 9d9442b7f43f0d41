//! Many elements into one.

use super::super::{Array, Context, Function, Tensor};
use crate::error::Error;
use crate::ops::Op;

/// The sum over each axis along which the target shape is shorter. Its
/// gradient is the mirror: `grad_out`, expanded.
pub struct Sum {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn op(&self) -> Op {
        Op::SumTo(self.shape.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].sum_to(&self.shape)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.expand(&self.from))]
    }
}
