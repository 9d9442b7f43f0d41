//! Reductions: sum, mean and maximum.

use super::super::apply;
use super::super::{Array, Context, Function, Gradients, Reduce, Tensor};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::{Keep, Op};
use crate::shape::{Axis, keepdims};

impl Tensor {
    /// Sums all elements. The result has one element and no axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.sum().to_vec()?, [3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        apply(Sum { axes: self.axes(), keep: Keep::No }, &[self])
    }

    /// Sums over the given axes.
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
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn sum_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = or_raise(checks::axes("sum", self.shape(), axes));
        apply(Sum { axes: axes.to_vec(), keep }, &[self])
    }
}

/// The sum over some axes. Its gradient is `grad_out`, expanded to the
/// operand's shape.
pub struct Sum {
    /// The axes to reduce.
    pub axes: Vec<usize>,
    /// Whether the reduced axes stay with size 1 (`keepdim`).
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
        // A gradient without axes broadcasts to any shape.
        if grad_out.rank() == 0 {
            return vec![Some(grad_out.expand(shape))];
        }
        let ones = keepdims(shape, &self.axes);
        vec![Some(grad_out.reshape(&ones).expand(shape))]
    }
}

impl Tensor {
    /// Computes the mean of all elements.
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

    /// Computes the mean over the given axes. The mean of no elements is NaN.
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
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn mean_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = or_raise(checks::axes("mean", self.shape(), axes));
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(&axes, keep).scale(1.0 / count as f64)
    }

    /// Returns the largest element.
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
    /// If the tensor is empty.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.axes(), Keep::No)
    }

    /// Returns the largest elements over the given axes.
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
    /// If an axis does not exist, is named twice, or is empty.
    #[doc(alias = "amax")]
    #[track_caller]
    pub fn max_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = or_raise(checks::axes("max", self.shape(), axes));
        apply(Max { axes: axes.to_vec(), keep }, &[self])
    }
}

/// The maximum over some axes. Tied maxima share the gradient equally. NaN
/// counts as the largest value.
pub struct Max {
    /// The axes to reduce.
    pub axes: Vec<usize>,
    /// Whether the reduced axes stay with size 1 (`keepdim`).
    pub keep: Keep,
}

impl Function for Max {
    fn op(&self) -> Op {
        Op::Max(self.axes.clone(), self.keep)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        let most = inputs[0].reduce(Reduce::Max, &self.axes, self.keep)?;
        ctx.save_output(&most);
        Ok(most)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, most) = (ctx.input(0).detach(), ctx.output().detach());
        let ones = keepdims(a.shape(), &self.axes);
        let (most, grads) = (most.reshape(&ones), grad_out.reshape(&ones));
        let axes = self.axes.clone();
        vec![Some(apply(MaxBackward { axes }, &[&a, &most, &grads]))]
    }
}

/// The gradient of [`Max`]. Its inputs are the operand, its maxima, and their
/// upstream gradient, which it splits equally among tied maxima. It is linear
/// in the upstream gradient, and its derivative with respect to the other two
/// inputs is 0.
pub struct MaxBackward {
    /// The axes that were reduced.
    pub axes: Vec<usize>,
}

impl Function for MaxBackward {
    fn op(&self) -> Op {
        Op::MaxBackward(self.axes.clone())
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        inputs[0].max_backward(inputs[1], inputs[2], &self.axes)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, most) = (ctx.input(0).detach(), ctx.input(1).detach());
        let axes = self.axes.clone();
        let shares =
            apply(MaxBackward { axes }, &[&a, &most, &most.ones_like()]);
        let flat = |i, like: &Tensor| ctx.needs(i).then(|| like.zeros_like());
        let grads = || shares.mul(grad_out).sum_over(&self.axes, Keep::Yes);
        vec![flat(0, &a), flat(1, &most), ctx.needs(2).then(grads)]
    }
}

impl Tensor {
    /// Returns the indices of all axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3], Device::Cpu)?;
    /// assert_eq!(x.axes(), [0, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }
}
