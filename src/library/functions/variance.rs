//! Variance and standard deviation with any correction.

use crate::checks;
use crate::error::or_raise;
use crate::ops::Keep;
use crate::part3_unified::{Axis, Tensor};

impl Tensor {
    /// Computes the variance over the given axes with a correction: the sum of
    /// the squared deviations from the mean, divided by `n - correction`. 0
    /// gives the variance of the elements themselves, and 1 the sample
    /// variance, which [`Tensor::var_over`] computes.
    ///
    /// A divisor below 0 counts as 0, as in PyTorch: the result is then
    /// infinite, or NaN if all elements are equal.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[4], &[1.0, 1.0, 3.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.var_with_correction(&[0], 0.0, Keep::No).item()?, 1.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[doc(alias("var", "correction", "unbiased"))]
    #[track_caller]
    pub fn var_with_correction(
        &self,
        axes: &[impl Axis],
        correction: impl Into<f64>,
        keep: Keep,
    ) -> Tensor {
        let axes = &or_raise(checks::axes("var", self.shape(), axes))[..];
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        let gap = self.sub(&self.mean_over(axes, Keep::Yes));
        let total = gap.mul(&gap).sum_over(axes, keep);
        total.div_scalar((count as f64 - correction.into()).max(0.0))
    }

    /// Computes the standard deviation over the given axes with a correction:
    /// the square root of [`Tensor::var_with_correction`]. The derivative is 0
    /// if all elements are equal.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[4], &[1.0, 1.0, 5.0, 5.0], Device::Cpu)?;
    /// assert_eq!(x.std_with_correction(&[0], 0.0, Keep::No).item()?, 2.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[doc(alias("std", "correction", "unbiased"))]
    #[track_caller]
    pub fn std_with_correction(
        &self,
        axes: &[impl Axis],
        correction: impl Into<f64>,
        keep: Keep,
    ) -> Tensor {
        let axes = &or_raise(checks::axes("std", self.shape(), axes))[..];
        self.var_with_correction(axes, correction, keep).sqrt_flat_at_zero()
    }
}
