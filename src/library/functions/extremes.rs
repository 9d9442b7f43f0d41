//! Minimum, and the indices of the largest elements.

use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::Keep;
use crate::part3_unified::{Axis, Tensor};

impl Tensor {
    /// Returns the smallest element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[2.0, -1.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.min().item()?, -1.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor is empty.
    #[track_caller]
    pub fn min(&self) -> Tensor {
        self.min_over(&self.axes(), Keep::No)
    }

    /// Returns the smallest elements over the given axes. Ties and NaN are
    /// handled as in [`Tensor::max_over`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, -1.0, 4.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.min_over(&[1], Keep::No).to_vec()?, [-1.0, 3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist, is named twice, or is empty.
    #[doc(alias = "amin")]
    #[track_caller]
    pub fn min_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("min", self.shape(), axes))[..];
        or_raise(checks::not_empty("min", self.shape(), axes));
        self.neg().max_over(axes, keep).neg()
    }

    /// Returns the index of the largest element in row-major order. The first
    /// of several equal elements wins; NaN counts as the largest.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 7.0, 7.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.argmax()?, 1);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the tensor is empty, or the device cannot be read.
    pub fn argmax(&self) -> Result<usize> {
        checks::not_empty("argmax", self.shape(), &self.axes())?;
        Ok(index_of_largest(self.to_vec_of()?.into_iter()))
    }

    /// Returns the index of the largest element along an axis, for each
    /// position of the other axes in row-major order.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 7.0, 5.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.argmax_over(1)?, [1, 0]);
    /// assert_eq!(x.argmax_over(0)?, [1, 0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist or is empty, or the device cannot be read.
    #[doc(alias = "argmax")]
    pub fn argmax_over(&self, axis: impl Axis) -> Result<Vec<usize>> {
        let axis = checks::axis("argmax_over", self.shape(), axis)?;
        checks::not_empty("argmax_over", self.shape(), &[axis])?;
        let (values, n) = (self.to_vec_of()?, self.shape()[axis]);
        let inner: usize = self.shape()[axis + 1..].iter().product();
        let starts =
            (0..values.len() / n).map(|at| at / inner * n * inner + at % inner);
        let line = |from: usize| (0..n).map(move |i| from + i * inner);
        Ok(starts
            .map(|from| index_of_largest(line(from).map(|at| values[at])))
            .collect())
    }
}

fn index_of_largest(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, value) in values.enumerate() {
        let larger = value > best.1 || value.is_nan();
        if larger && !best.1.is_nan() {
            best = (index, value);
        }
    }
    best.0
}
