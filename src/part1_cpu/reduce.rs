//! Many elements into one, built in chapters 8 and 9.

use super::Tensor;
use super::array::{expand, max_axes, reshape, sum_axes, zip};
use crate::error::mistake;
use crate::ops::{Keep, Op};

// ANCHOR: sum
impl Tensor {
    /// The sum of all elements, a tensor of one element and no axes.
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.all_axes(), Keep::No)
    }

    /// The sum over some axes. `grad_a` is `grad_out`, once for each element
    /// that was summed.
    #[track_caller]
    pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        self.check_axes("sum", axes);
        let op = Op::Sum(axes.to_vec(), keep);
        let (shape, ones) = (self.shape().to_vec(), self.with_ones(axes));
        let total = self.settle(sum_axes(&self.data(), axes), axes, keep);
        Tensor::record(op, &[self], total, move |grad_out| {
            vec![expand(&reshape(grad_out, &ones), &shape)]
        })
    }
}
// ANCHOR_END: sum

impl Tensor {
    /// The mean of all elements.
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.all_axes(), Keep::No)
    }

    /// The mean over some axes, as a sum and a product. Over no elements it
    /// is 0 / 0, a NaN.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        self.check_axes("mean", axes);
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }
}

impl Tensor {
    /// The largest of all elements.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.all_axes(), Keep::No)
    }

    /// The largest over some axes, a NaN if there is one. Elements that tie
    /// share the gradient.
    #[track_caller]
    pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        self.check_axes("max", axes);
        if axes.iter().any(|&axis| self.shape()[axis] == 0) {
            mistake(format!(
                "max: shape {:?} has no element along {axes:?}, and nothing \
                 is the largest of none; look at the shape first",
                self.shape()
            ));
        }
        let op = Op::Max(axes.to_vec(), keep);
        let (a, ones) = (self.data(), self.with_ones(axes));
        let most = reshape(&max_axes(&a, axes), &ones);
        let out = self.settle(most.clone(), axes, keep);
        let axes = axes.to_vec();
        Tensor::record(op, &[self], out, move |grad_out| {
            let is_most = |x: f32, most| f32::from(x == most || x.is_nan());
            let winners = zip("max", &a, &most, is_most);
            let count = reshape(&sum_axes(&winners, &axes), &ones);
            let grad_out = reshape(grad_out, &ones);
            let share = zip("max", &grad_out, &count, |g, n| g / n);
            vec![zip("max", &winners, &share, |winner, g| winner * g)]
        })
    }
}

impl Tensor {
    pub(super) fn all_axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }

    /// The shape with the reduced axes as 1: how a gradient is laid beside
    /// the operand again.
    fn with_ones(&self, axes: &[usize]) -> Vec<usize> {
        let sizes = self.shape().iter().enumerate();
        sizes.map(|(i, &n)| if axes.contains(&i) { 1 } else { n }).collect()
    }

    /// The reduced array in the shape that was asked for.
    fn settle(
        &self,
        reduced: ndarray::ArrayD<f32>,
        axes: &[usize],
        keep: Keep,
    ) -> ndarray::ArrayD<f32> {
        let mut shape = self.with_ones(axes);
        if keep == Keep::No {
            let mut axis = 0..shape.len();
            shape.retain(|_| !axes.contains(&axis.next().expect("an axis")));
        }
        reshape(&reduced, &shape)
    }

    #[track_caller]
    fn check_axes(&self, op: &str, axes: &[usize]) {
        let shape = self.shape();
        for (place, &axis) in axes.iter().enumerate() {
            if axis >= shape.len() {
                mistake(format!(
                    "{op}: there is no axis {axis}; shape {shape:?} has the \
                     axes {:?}",
                    self.all_axes()
                ));
            }
            if axes[..place].contains(&axis) {
                mistake(format!(
                    "{op}: axis {axis} stands twice in {axes:?}; name each \
                     axis once"
                ));
            }
        }
    }
}
