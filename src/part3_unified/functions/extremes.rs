//! The smallest elements, and where the largest stand.

use super::super::Tensor;
use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::Keep;

impl Tensor {
    /// Finds the smallest of all elements.
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
    /// If there is no element.
    #[track_caller]
    pub fn min(&self) -> Tensor {
        self.min_over(&self.axes(), Keep::No)
    }

    /// Finds the smallest over some axes. As with [`Tensor::max_over`] those
    /// that are as small share the gradient, and a NaN passes.
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
    /// If an axis is not there, stands twice, or has no element.
    #[doc(alias = "amin")]
    #[track_caller]
    pub fn min_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("min", self.shape(), axes));
        or_raise(checks::not_empty("min", self.shape(), axes));
        self.neg().max_over(axes, keep).neg()
    }

    /// Finds where the largest element stands, in row-major order. Of equals
    /// it is the first; a NaN counts as the largest.
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
    /// If there is no element, or the device refuses to be read.
    pub fn argmax(&self) -> Result<usize> {
        checks::not_empty("argmax", self.shape(), &self.axes())?;
        Ok(place_of_largest(self.to_vec_of()?.into_iter()))
    }

    /// Finds where the largest stands along an axis, for each place of the
    /// other axes in row-major order.
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
    /// If the axis is not there or has no element, or the device refuses to
    /// be read.
    #[doc(alias = "argmax")]
    pub fn argmax_over(&self, axis: usize) -> Result<Vec<usize>> {
        checks::axes("argmax_over", self.shape(), &[axis])?;
        checks::not_empty("argmax_over", self.shape(), &[axis])?;
        let (values, n) = (self.to_vec_of()?, self.shape()[axis]);
        let inner: usize = self.shape()[axis + 1..].iter().product();
        let starts =
            (0..values.len() / n).map(|at| at / inner * n * inner + at % inner);
        let line = |from: usize| (0..n).map(move |i| from + i * inner);
        Ok(starts
            .map(|from| place_of_largest(line(from).map(|at| values[at])))
            .collect())
    }
}

fn place_of_largest(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, value) in values.enumerate() {
        let larger = value > best.1 || value.is_nan();
        if larger && !best.1.is_nan() {
            best = (place, value);
        }
    }
    best.0
}
