//! Many elements into one, built in "Shapes that stretch" and "Matmul and
//! softmax".

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
/// If an axis is not there or stands twice.
// ANCHOR: sum
impl Tensor {
    /// Sums all elements to a tensor of one element and no axes.
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.all_axes(), Keep::No)
    }

    /// Sums over some axes. `grad_a` is `grad_out`, once for each element that
    /// was summed.
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
    /// Averages all elements.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.mean().to_vec(), [1.5]);
    /// ```
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.all_axes(), Keep::No)
    }

    /// Averages over some axes, as a sum and a product. Over no elements it is
    /// 0 / 0, a NaN.
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
    /// If an axis is not there or stands twice.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("mean", self.shape(), axes));
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }
}

impl Tensor {
    /// Finds the largest of all elements.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.max().to_vec(), [2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no element.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.all_axes(), Keep::No)
    }

    /// Finds the largest over some axes, a NaN if there is one. Elements that
    /// tie share the gradient.
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
    /// If an axis is not there, stands twice, or has no element.
    #[doc(alias = "amax")]
    #[track_caller]
    pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("max", self.shape(), axes));
        or_raise(checks::not_empty("max", self.shape(), axes));
        let op = Op::Max(axes.to_vec(), keep);
        let (a, ones) = (self.data(), keepdims(self.shape(), axes));
        let most = reshape(&max_axes(&a, axes), &ones);
        let out = self.reduced(most.clone(), axes, keep);
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

    /// Gives a reduced array the shape that was asked for.
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
