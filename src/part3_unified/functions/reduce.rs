//! Many elements into one.

use super::super::apply;
use super::super::{Array, Context, Function, Gradients, Reduce, Tensor};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::{Keep, Op};
use crate::shape::keepdims;

impl Tensor {
    /// Sums all elements to a tensor of one element and no axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.sum().to_vec()?, [3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.axes(), Keep::No)
    }

    /// Sums over some axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.sum_over(&[1], Keep::No).to_vec()?, [3.0, 7.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis is not there or stands twice.
    #[track_caller]
    pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        apply(Sum { axes: axes.to_vec(), keep }, &[self])
    }
}

/// The sum over axes. Its gradient is the mirror: `grad_out`, expanded.
pub struct Sum {
    /// The axes that are reduced.
    pub axes: Vec<usize>,
    /// Whether they stay with size 1.
    pub keep: Keep,
}

impl Function for Sum {
    fn op(&self) -> Op {
        Op::Sum(self.axes.clone(), self.keep)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].reduce(Reduce::Sum, &self.axes, self.keep)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let shape = ctx.shape(0);
        let ones = keepdims(shape, &self.axes);
        vec![Some(grad_out.reshape(&ones).expand(shape))]
    }
}

impl Tensor {
    /// Averages all elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.mean().to_vec()?, [1.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.axes(), Keep::No)
    }

    /// Averages over some axes, as a sum and a product. Over no elements it is
    /// 0 / 0, a NaN.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.mean_over(&[1], Keep::No).to_vec()?, [1.5, 3.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis is not there or stands twice.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("mean", self.shape(), axes));
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }

    /// Finds the largest of all elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.max().to_vec()?, [2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no element.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.axes(), Keep::No)
    }

    /// Finds the largest over some axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.max_over(&[1], Keep::No).to_vec()?, [2.0, 4.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis is not there, stands twice, or has no element.
    #[doc(alias = "amax")]
    #[track_caller]
    pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        apply(Max { axes: axes.to_vec(), keep }, &[self])
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
    fn op(&self) -> Op {
        Op::Max(self.axes.clone(), self.keep)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].reduce(Reduce::Max, &self.axes, self.keep)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0).detach();
        let ones = keepdims(a.shape(), &self.axes);
        let most = a.max_over(&self.axes, Keep::Yes).expand(a.shape());
        // A NaN is not equal to itself.
        let winners = a.eq(&most).add(&a.eq(&a).neg().shift(1.0));
        let count = winners.sum_over(&self.axes, Keep::Yes);
        let share = grad_out.reshape(&ones).div(&count);
        vec![Some(winners.mul(&share))]
    }
}

impl Tensor {
    pub(super) fn axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }
}
