//! Writing elements by index and by mask, derived from `index_select` and
//! `where_cond`. [`Tensor::scatter_add`] is with the other operations by
//! index.

use crate::checks;
use crate::error::{mistake, or_raise};
use crate::part3_unified::{Axis, Tensor};

impl Tensor {
    /// Replaces elements by index: along axis 1, element `[i, j]` of `source`
    /// is written to `[i, indices[i, j]]`. `indices` lists one index for each
    /// element of `source` in row-major order.
    ///
    /// If an element is written twice, the later one wins and the earlier one
    /// gets a gradient of 0. In PyTorch, which of them wins is undefined.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3], Device::Cpu)?;
    /// let source = Tensor::new(&[2, 1], &[5., 7.], Device::Cpu)?;
    /// let y = x.scatter(1, &[2, 0], &source);
    /// assert_eq!(y.to_vec()?, [0., 0., 5., 7., 0., 0.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist, an index is out of range, `source` has a
    /// different number of axes or is larger along another axis, there is not
    /// one index for each of its elements, or it is on another device.
    #[track_caller]
    pub fn scatter(
        &self,
        axis: impl Axis,
        indices: &[usize],
        source: &Tensor,
    ) -> Tensor {
        let axis = or_raise(checks::axis("scatter", self.shape(), axis));
        let (shape, from) = (self.shape(), source.shape());
        let offsets = checks::gather("scatter", shape, axis, from, indices);
        let n = self.len();
        // The result selects from the elements of both tensors, one after the
        // other.
        let mut selected: Vec<usize> = (0..n).collect();
        for (i, offset) in or_raise(offsets).into_iter().enumerate() {
            selected[offset] = n + i;
        }
        let both = [self.flatten(..), source.flatten(..)];
        let both = Tensor::cat(&[&both[0], &both[1]], 0);
        both.index_select(0, &selected).reshape(shape)
    }

    /// Replaces elements by a number where a mask is not 0. The mask
    /// broadcasts to the shape of the tensor, and has its type. Replaced
    /// elements get a gradient of 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let mask = x.gt(&x.full_like(2.0));
    /// assert_eq!(x.masked_fill(&mask, -1.0).to_vec()?, [1., 2., -1., -1.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the mask does not broadcast to the shape of the tensor, or the
    /// devices or the types differ.
    #[track_caller]
    pub fn masked_fill(&self, mask: &Tensor, value: impl Into<f64>) -> Tensor {
        let shape = self.shape();
        let both = checks::broadcast("masked_fill", mask.shape(), shape);
        if or_raise(both) != shape {
            mistake(format!(
                "masked_fill: a mask of shape {:?} is larger than the tensor \
                 of shape {shape:?}; expand the tensor first",
                mask.shape()
            ));
        }
        mask.where_cond(&self.full_like(value), self)
    }
}
