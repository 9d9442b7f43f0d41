//! Reductions: sum, mean and max. Built in "Corners" and "Shapes that
//! stretch".

use super::Tensor;
use super::array::{expand, max_axes, reshape, sum_axes, zip};
use crate::checks;
use crate::error::or_raise;
use crate::ops::{Keep, Op};
use crate::shape::keepdims;

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// use rungrad::ops::Keep;
/// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
/// assert_eq!(x.sum().to_vec(), [10.]);
/// assert_eq!(x.sum_over(&[1], Keep::No).to_vec(), [3., 7.]);
/// ```
///
/// # Panics
///
/// If an axis does not exist or is listed twice.
// ANCHOR: sum
impl Tensor {
    /// Sums all elements into a tensor with one element and no axes.
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.all_axes(), Keep::No)
    }

    /// Sums over `axes`. Each summed element gets a copy of `grad_out`.
    #[track_caller]
    pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("sum", self.shape(), axes));
        let op = Op::Sum(axes.to_vec(), keep);
        let (shape, ones) =
            (self.shape().to_vec(), keepdims(self.shape(), axes));
        let total = self.reduced(sum_axes(&self.data(), axes), axes, keep);
        Tensor::record(op, &[self], total, move |grad_out| {
            vec![expand(&reshape(grad_out, &ones), &shape)]
        })
    }
}
// ANCHOR_END: sum

impl Tensor {
    /// Computes the mean of all elements.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.mean().to_vec(), [1.5]);
    /// ```
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.all_axes(), Keep::No)
    }

    /// Computes the mean over `axes`, as a sum times `1 / count`. The mean of
    /// no elements is NaN.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// use rungrad::ops::Keep;
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
    /// assert_eq!(x.mean_over(&[1], Keep::No).to_vec(), [1.5, 3.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is listed twice.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("mean", self.shape(), axes));
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }
}

impl Tensor {
    /// Computes the maximum of all elements.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.max().to_vec(), [2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor has no elements.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.all_axes(), Keep::No)
    }

    // ANCHOR: max-over
    /// Computes the maximum over `axes`; it is NaN if any element is NaN.
    /// Elements that tie for the maximum split the gradient equally.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// use rungrad::ops::Keep;
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
    /// assert_eq!(x.max_over(&[0], Keep::Yes).shape(), [1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist, is listed twice, or has no elements.
    #[doc(alias = "amax")]
    #[track_caller]
    pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("max", self.shape(), axes));
        or_raise(checks::not_empty("max", self.shape(), axes));
        let op = Op::Max(axes.to_vec(), keep);
        let (a, ones) = (self.data(), keepdims(self.shape(), axes));
        let max = reshape(&max_axes(&a, axes), &ones);
        let out = self.reduced(max.clone(), axes, keep);
        let axes = axes.to_vec();
        Tensor::record(op, &[self], out, move |grad_out| {
            let is_max = |x: f32, max| f32::from(x == max || x.is_nan());
            let winners = zip("max", &a, &max, is_max);
            let count = reshape(&sum_axes(&winners, &axes), &ones);
            let grad_out = reshape(grad_out, &ones);
            let equal_part = zip("max", &grad_out, &count, |g, n| g / n);
            vec![zip("max", &winners, &equal_part, |winner, g| winner * g)]
        })
    }
    // ANCHOR_END: max-over
}

impl Tensor {
    pub(super) fn all_axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }

    /// Reshapes a reduced array: the reduced axes have size 1 or are removed.
    fn reduced(
        &self,
        reduced: ndarray::ArrayD<f32>,
        axes: &[usize],
        keep: Keep,
    ) -> ndarray::ArrayD<f32> {
        let mut shape = keepdims(self.shape(), axes);
        if keep == Keep::No {
            let mut axis = 0..shape.len();
            shape.retain(|_| !axes.contains(&axis.next().expect("an axis")));
        }
        reshape(&reduced, &shape)
    }
}
