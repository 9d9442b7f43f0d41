//! Products, variances, norms, log-sum-exp and cumulative sums.

use crate::checks;
use crate::error::or_raise;
use crate::ops::Keep;
use crate::part3_unified::{Axis, DType, Tensor};
use crate::shape::keepdims;

impl Tensor {
    /// Multiplies all elements. The product of no elements is 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[2.0, 3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.prod().item()?, 24.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn prod(&self) -> Tensor {
        self.prod_over(&self.axes(), Keep::No)
    }

    /// Multiplies over the given axes, by repeatedly multiplying one half with
    /// the other. The derivative with respect to an element is therefore
    /// computed as the product of all others, without a division that fails
    /// for zeros.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 3.0, 0.0, 5.0], Device::Cpu)?;
    /// let x = x.requires_grad();
    /// let products = x.prod_over(&[1], Keep::No);
    /// assert_eq!(products.to_vec()?, [6.0, 0.0]);
    /// products.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_vec()?, [3.0, 2.0, 5.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn prod_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("prod", self.shape(), axes))[..];
        let kept = self.axes().into_iter().filter(|axis| !axes.contains(axis));
        let kept: Vec<usize> = kept.collect();
        let count = |axes: &[usize]| -> usize {
            axes.iter().map(|&axis| self.shape()[axis]).product()
        };
        let (rows, mut n) = (count(&kept), count(axes));
        let shape = match keep {
            Keep::Yes => keepdims(self.shape(), axes),
            Keep::No => kept.iter().map(|&axis| self.shape()[axis]).collect(),
        };
        if n == 0 {
            return self.sum_over(axes, keep).shift(1.0);
        }
        let mut left = self.permute(&[&kept, axes].concat());
        left = left.reshape(&[rows, n]);
        while n > 1 {
            let half = n / 2;
            let part = |from, to| left.slice(&[0..rows, from..to]);
            let product = part(0, half).mul(&part(half, 2 * half));
            left = match n % 2 {
                0 => product,
                _ => Tensor::cat(&[&product, &part(n - 1, n)], 1),
            };
            n -= half;
        }
        left.reshape(&shape)
    }

    /// Computes the variance of all elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.0, 2.0, 6.0], Device::Cpu)?;
    /// assert_eq!(x.var().item()?, 7.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn var(&self) -> Tensor {
        self.var_over(&self.axes(), Keep::No)
    }

    /// Computes the sample variance over the given axes: the sum of the
    /// squared deviations from the mean, divided by n - 1, as in PyTorch. It
    /// is NaN for fewer than two elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 3.0, 5.0, 5.0], Device::Cpu)?;
    /// assert_eq!(x.var_over(&[1], Keep::No).to_vec()?, [2.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn var_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("var", self.shape(), axes))[..];
        self.var_with_correction(axes, 1.0, keep)
    }

    /// Computes the standard deviation of all elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.0, 1.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.std().item()?, 3f32.sqrt());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn std(&self) -> Tensor {
        self.std_over(&self.axes(), Keep::No)
    }

    /// Computes the standard deviation over the given axes: the square root of
    /// [`Tensor::var_over`]. The derivative is 0 if all elements are equal.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 1., 4., 5., 5., 5.], Device::Cpu)?;
    /// let std = x.std_over(&[1], Keep::No);
    /// assert_eq!(std.to_vec()?, [3f32.sqrt(), 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn std_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("std", self.shape(), axes))[..];
        self.var_over(axes, keep).sqrt_flat_at_zero()
    }

    /// Computes the Euclidean norm of all elements; see [`Tensor::norm_over`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.norm().item()?, 5.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn norm(&self) -> Tensor {
        self.norm_over(&self.axes(), Keep::No)
    }

    /// Computes Euclidean norms over the given axes. The derivative of a norm
    /// of 0 is 0.
    ///
    /// The elements are divided by the largest before they are squared, as in
    /// BLAS, so that the norms of `[1e20, 1e20]` and `[1e-30]` neither
    /// overflow nor underflow. PyTorch 2.15 squares the elements directly.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[3.0, 4.0, 0.0, 0.0], Device::Cpu)?;
    /// assert_eq!(x.norm_over(&[1], Keep::No).to_vec()?, [5.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn norm_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("norm", self.shape(), axes))[..];
        if self.dtype() == DType::F16 {
            // A sum of squares above 65504 would overflow in 16 bits.
            let wide = or_raise(self.to_dtype(DType::F32));
            let norm = wide.norm_over(axes, keep);
            return or_raise(norm.to_dtype(DType::F16));
        }
        if axes.iter().any(|&axis| self.shape()[axis] == 0) {
            return self.sum_over(axes, keep);
        }
        let x = self.detach();
        let most = x.mul(&x.sign()).max_over(axes, Keep::Yes);
        // Don't divide by 0, infinity, or a subnormal number, which some
        // devices treat as 0.
        let is_scale = most
            .ge(&most.full_like(f32::MIN_POSITIVE))
            .mul(&most.lt(&most.full_like(f32::INFINITY)));
        let scale = is_scale.where_cond(&most, &most.ones_like());
        let scaled = self.div(&scale);
        let norm = scaled.mul(&scaled).sum_over(axes, keep).sqrt_flat_at_zero();
        norm.mul(&scale.reshape(norm.shape()))
    }

    /// Computes the square root with a derivative of 0 instead of infinity at
    /// 0.
    #[track_caller]
    pub(super) fn sqrt_flat_at_zero(&self) -> Tensor {
        let zeros = self.zeros_like();
        let flat = self.eq(&zeros);
        flat.where_cond(
            &zeros,
            &flat.where_cond(&self.ones_like(), self).sqrt(),
        )
    }

    /// Computes the logarithm of the sum of the exponentials of all elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1000.0, 1000.0], Device::Cpu)?;
    /// assert_eq!(x.logsumexp().item()?, 1000.0 + 2f32.ln());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor is empty.
    #[track_caller]
    pub fn logsumexp(&self) -> Tensor {
        self.logsumexp_over(&self.axes(), Keep::No)
    }

    /// Computes the logarithm of the sum of the exponentials over the given
    /// axes. The maximum is subtracted first, so that no exponential exceeds
    /// 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[0.0, 0.0, 5.0, -1e9], Device::Cpu)?;
    /// let totals = x.logsumexp_over(&[1], Keep::No);
    /// assert_eq!(totals.to_vec()?, [2f32.ln(), 5.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist, is named twice, or is empty.
    #[track_caller]
    pub fn logsumexp_over(&self, axes: &[impl Axis], keep: Keep) -> Tensor {
        let axes = &or_raise(checks::axes("logsumexp", self.shape(), axes))[..];
        or_raise(checks::not_empty("logsumexp", self.shape(), axes));
        let most = self.detach().max_over(axes, Keep::Yes);
        // Infinity minus infinity is NaN, so don't subtract an infinite
        // maximum.
        let finite = most.abs().lt(&most.full_like(f32::INFINITY));
        let most = finite.where_cond(&most, &most.zeros_like());
        let total = self.sub(&most).exp().sum_over(axes, keep).log();
        let shape = total.shape().to_vec();
        total.add(&most.reshape(&shape))
    }

    /// Computes the cumulative sum along an axis.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.cumsum(1).to_vec()?, [1., 3., 6., 4., 9., 15.]);
    /// assert_eq!(x.cumsum(0).to_vec()?, [1., 2., 3., 5., 7., 9.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist.
    #[track_caller]
    pub fn cumsum(&self, axis: impl Axis) -> Tensor {
        let axis = or_raise(checks::axis("cumsum", self.shape(), axis));
        let (n, mut sums, mut reach) = (self.shape()[axis], self.clone(), 1);
        // Each pass adds the element `reach` positions before, which already
        // is the sum of `reach` elements. The additions for n elements form a
        // tree of depth log n instead of a chain.
        while reach < n {
            let mut part: Vec<_> =
                self.shape().iter().map(|&size| 0..size).collect();
            part[axis] = 0..n - reach;
            let mut widths = vec![[0, 0]; part.len()];
            widths[axis][0] = reach;
            sums = sums.add(&sums.slice(&part).pad(&widths));
            reach *= 2;
        }
        sums
    }
}
