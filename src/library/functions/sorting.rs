//! Sorting, and the indices of extreme elements. The indices are computed on
//! the host; the values are then gathered on the device, so they have a
//! gradient.
//!
//! Indices are listed in row-major order of the returned values' shape, as
//! [`Tensor::gather`] takes them. Ties are in the order of their index, and
//! NaN counts as the largest value, as in PyTorch's stable sort.

use std::cmp::Ordering;

use crate::checks;
use crate::error::{Error, Result};
use crate::ops::Keep;
use crate::part3_unified::{Axis, Tensor};
use crate::shape::keepdims;

impl Tensor {
    /// Returns the index of the smallest element in row-major order. The first
    /// of several equal elements wins; a NaN wins over all numbers, as in
    /// PyTorch.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[5.0, 2.0, 2.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.argmin()?, 1);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the tensor is empty, or the device cannot be read.
    pub fn argmin(&self) -> Result<usize> {
        checks::not_empty("argmin", self.shape(), &self.axes())?;
        self.detach().neg().argmax()
    }

    /// Returns the index of the smallest element along an axis, for each
    /// position of the other axes in row-major order. Ties and NaN are handled
    /// as in [`Tensor::argmin`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 7.0, 5.0, 3.0], Device::Cpu)?;
    /// assert_eq!(x.argmin_over(1)?, [0, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist or is empty, or the device cannot be read.
    #[doc(alias = "argmin")]
    pub fn argmin_over(&self, axis: impl Axis) -> Result<Vec<usize>> {
        let axis = checks::axis("argmin_over", self.shape(), axis)?;
        checks::not_empty("argmin_over", self.shape(), &[axis])?;
        self.detach().neg().argmax_over(axis)
    }

    /// Returns the largest elements along an axis and their indices. Of
    /// several equal elements, the first one is returned and gets the whole
    /// gradient, whereas [`Tensor::max_over`] splits it. A NaN counts as the
    /// largest value.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 7.0, 5.0, 3.0], Device::Cpu)?;
    /// let (values, indices) = x.max_with_indices(1, Keep::No)?;
    /// assert_eq!(values.to_vec()?, [7.0, 5.0]);
    /// assert_eq!(indices, [1, 0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist or is empty, or the device cannot be read.
    #[doc(alias = "max")]
    pub fn max_with_indices(
        &self,
        axis: impl Axis,
        keep: Keep,
    ) -> Result<(Tensor, Vec<usize>)> {
        let axis = checks::axis("max_with_indices", self.shape(), axis)?;
        checks::not_empty("max_with_indices", self.shape(), &[axis])?;
        let indices = self.argmax_over(axis)?;
        Ok((self.gather_one(axis, &indices, keep), indices))
    }

    /// Returns the smallest elements along an axis and their indices. Of
    /// several equal elements, the first one is returned and gets the whole
    /// gradient. If there is a NaN, it is returned.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Keep, Tensor};
    /// let x = Tensor::new(&[2, 2], &[2.0, 7.0, 5.0, 3.0], Device::Cpu)?;
    /// let (values, indices) = x.min_with_indices(1, Keep::Yes)?;
    /// assert_eq!(values.shape(), [2, 1]);
    /// assert_eq!(values.to_vec()?, [2.0, 3.0]);
    /// assert_eq!(indices, [0, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist or is empty, or the device cannot be read.
    #[doc(alias = "min")]
    pub fn min_with_indices(
        &self,
        axis: impl Axis,
        keep: Keep,
    ) -> Result<(Tensor, Vec<usize>)> {
        let axis = checks::axis("min_with_indices", self.shape(), axis)?;
        checks::not_empty("min_with_indices", self.shape(), &[axis])?;
        let indices = self.argmin_over(axis)?;
        Ok((self.gather_one(axis, &indices, keep), indices))
    }

    /// Gathers one element along an axis for each position of the other axes.
    fn gather_one(&self, axis: usize, indices: &[usize], keep: Keep) -> Tensor {
        let shape = keepdims(self.shape(), &[axis]);
        let values = self.gather(axis, &shape, indices);
        match keep {
            Keep::Yes => values,
            Keep::No => values.squeeze(axis),
        }
    }

    /// Returns the indices that sort the elements along an axis, smallest
    /// first. The sort is stable, and NaN comes last.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[3., 1., 2., 5., 5., 4.], Device::Cpu)?;
    /// assert_eq!(x.argsort(1)?, [1, 2, 0, 2, 0, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist, or the device cannot be read.
    pub fn argsort(&self, axis: impl Axis) -> Result<Vec<usize>> {
        let axis = checks::axis("argsort", self.shape(), axis)?;
        self.sorted_indices(axis, self.shape()[axis], nan_last)
    }

    /// Returns the indices that sort the elements along an axis, largest
    /// first. The sort is stable, and NaN comes first.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.0, 3.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.argsort_descending(0)?, [1, 2, 0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist, or the device cannot be read.
    #[doc(alias = "argsort")]
    pub fn argsort_descending(&self, axis: impl Axis) -> Result<Vec<usize>> {
        let axis = checks::axis("argsort_descending", self.shape(), axis)?;
        self.sorted_indices(axis, self.shape()[axis], nan_first)
    }

    /// Sorts the elements along an axis, smallest first, and returns them with
    /// their former indices. The sort is stable, and NaN comes last. The
    /// gradient of each element goes back to its former position.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[3.0, 1.0, 2.0], Device::Cpu)?;
    /// let (values, indices) = x.sort(0)?;
    /// assert_eq!(values.to_vec()?, [1.0, 2.0, 3.0]);
    /// assert_eq!(indices, [1, 2, 0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist, or the device cannot be read.
    pub fn sort(&self, axis: impl Axis) -> Result<(Tensor, Vec<usize>)> {
        let axis = checks::axis("sort", self.shape(), axis)?;
        let indices = self.argsort(axis)?;
        Ok((self.gather(axis, self.shape(), &indices), indices))
    }

    /// Sorts the elements along an axis, largest first, and returns them with
    /// their former indices. The sort is stable, and NaN comes first.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.0, 3.0, 2.0], Device::Cpu)?;
    /// let (values, indices) = x.sort_descending(0)?;
    /// assert_eq!(values.to_vec()?, [3.0, 2.0, 1.0]);
    /// assert_eq!(indices, [1, 2, 0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist, or the device cannot be read.
    #[doc(alias = "sort")]
    pub fn sort_descending(
        &self,
        axis: impl Axis,
    ) -> Result<(Tensor, Vec<usize>)> {
        let axis = checks::axis("sort_descending", self.shape(), axis)?;
        let indices = self.argsort_descending(axis)?;
        Ok((self.gather(axis, self.shape(), &indices), indices))
    }

    /// Returns the `k` largest elements along an axis, largest first, and
    /// their indices. Ties are in the order of their index, and NaN counts as
    /// the largest value. For the smallest elements, take the first `k` of
    /// [`Tensor::sort`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 4], &[1., 4., 2., 3.], Device::Cpu)?;
    /// let (values, indices) = x.topk(2, 1)?;
    /// assert_eq!(values.to_vec()?, [4., 3.]);
    /// assert_eq!(indices, [1, 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the axis does not exist or has fewer than `k` elements, or the
    /// device cannot be read.
    pub fn topk(
        &self,
        k: usize,
        axis: impl Axis,
    ) -> Result<(Tensor, Vec<usize>)> {
        let axis = checks::axis("topk", self.shape(), axis)?;
        let n = self.shape()[axis];
        if k > n {
            return Err(Error::Mistake(format!(
                "topk: {k} elements along axis {axis} of shape {:?}, which \
                 has {n}; ask for at most {n}",
                self.shape()
            )));
        }
        let indices = self.sorted_indices(axis, k, nan_first)?;
        let mut shape = self.shape().to_vec();
        shape[axis] = k;
        Ok((self.gather(axis, &shape, &indices), indices))
    }

    /// Returns the first `count` indices that a stable sort along the axis
    /// gives, for each position of the other axes. The indices are in row-major
    /// order.
    fn sorted_indices(
        &self,
        axis: usize,
        count: usize,
        compare: fn(&f64, &f64) -> Ordering,
    ) -> Result<Vec<usize>> {
        let n = self.shape()[axis];
        let values: Vec<f64> = self.to_vec_of()?;
        let inner: usize = self.shape()[axis + 1..].iter().product();
        let lines = values.len().checked_div(n).unwrap_or(0);
        let mut sorted = vec![0; lines * count];
        for line in 0..lines {
            let (outer, offset) = (line / inner, line % inner);
            let value = |i: usize| &values[(outer * n + i) * inner + offset];
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| compare(value(a), value(b)));
            for (i, index) in order.into_iter().take(count).enumerate() {
                sorted[(outer * count + i) * inner + offset] = index;
            }
        }
        Ok(sorted)
    }
}

/// Orders numbers from the smallest to the largest, and NaN after all.
fn nan_last(a: &f64, b: &f64) -> Ordering {
    let by_value = a.partial_cmp(b);
    by_value.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Orders NaN before all numbers, then from the largest to the smallest.
fn nan_first(a: &f64, b: &f64) -> Ordering {
    nan_last(b, a)
}
