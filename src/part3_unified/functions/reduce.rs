//! Many elements into one.

use super::super::arithmetic::with_ones;
use super::super::{Array, Context, Function, Reduce, Tensor};
use crate::error::Error;
use crate::ops::{Keep, Op};

/// The sum over axes. Its gradient is the mirror: `grad_out`, expanded.
pub struct Sum {
    /// The axes that are reduced.
    pub axes: Vec<usize>,
    /// Whether they stay with size 1.
    pub keep: Keep,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn op(&self) -> Op {
        Op::Sum(self.axes.clone(), self.keep)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].reduce(Reduce::Sum, &self.axes, self.keep)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let ones = with_ones(&self.from, &self.axes);
        vec![Some(grad_out.reshape(&ones).expand(&self.from))]
    }
}

/// The largest over axes. Those that are as large as the largest share its
/// gradient; a NaN counts as the largest.
pub struct Max {
    /// The axes that are reduced.
    pub axes: Vec<usize>,
    /// Whether they stay with size 1.
    pub keep: Keep,
}

impl Function for Max {
    fn name(&self) -> &'static str {
        "max"
    }

    fn op(&self) -> Op {
        Op::Max(self.axes.clone(), self.keep)
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        let most = inputs[0].reduce(Reduce::Max, &self.axes, Keep::Yes)?;
        ctx.save_input(0, inputs[0]);
        match self.keep {
            Keep::Yes => Ok(most),
            Keep::No => {
                let shape = inputs[0].shape().iter().enumerate();
                let left = shape.filter(|(i, _)| !self.axes.contains(i));
                most.reshape(&left.map(|(_, &n)| n).collect::<Vec<_>>())
            }
        }
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let a = ctx.input(0).detach();
        let ones = with_ones(a.shape(), &self.axes);
        let most = a.max_over(&self.axes, Keep::Yes).expand(a.shape());
        // A NaN is not equal to itself.
        let winners = a.equal(&most).add(&a.equal(&a).neg().shift(1.0));
        let count = winners.sum_over(&self.axes, Keep::Yes);
        let share = grad_out.reshape(&ones).div(&count);
        vec![Some(winners.mul(&share))]
    }
}
