//! Flattening, swapping, splitting and rolling axes: operations that PyTorch
//! has under their own names, derived from `reshape`, `permute`, `slice` and
//! `cat`.

use crate::checks;
use crate::error::{mistake, or_raise};
use crate::part3_unified::{Axis, Span, Tensor};

impl Tensor {
    /// Flattens a range of adjacent axes into one. `x.flatten(1..)` turns
    /// images into rows and keeps the axis of the batch; `x.flatten(..)` gives
    /// a single axis. A tensor without axes gets one axis of size 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3, 4, 5], Device::Cpu)?;
    /// assert_eq!(x.flatten(1..).shape(), [2, 60]);
    /// assert_eq!(x.flatten(1..3).shape(), [2, 12, 5]);
    /// assert_eq!(x.flatten(..).shape(), [120]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range exceeds the axes, has a step, or is empty although there
    /// are axes.
    #[doc(alias = "ravel")]
    #[track_caller]
    pub fn flatten(&self, axes: impl Into<Span>) -> Tensor {
        let (axes, rank) = (axes.into(), self.rank());
        let end = axes.end.unwrap_or(rank);
        let is_empty = axes.start == end && rank > 0;
        if !axes.fits(rank) || axes.step != 1 || is_empty {
            mistake(format!(
                "flatten: the axes {axes:?} of shape {:?}, which has {rank} \
                 axes; give a range of adjacent axes, such as 1..",
                self.shape()
            ));
        }
        let (before, rest) = self.shape().split_at(axes.start);
        let (flat, after) = rest.split_at(end - axes.start);
        let size = flat.iter().product();
        self.reshape(&[before, &[size], after].concat())
    }

    /// Swaps two axes: PyTorch's `transpose(a, b)`. [`Tensor::transpose`]
    /// swaps the last two.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3, 4], Device::Cpu)?;
    /// assert_eq!(x.swap_axes(0, 2).shape(), [4, 3, 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist.
    #[doc(alias("transpose", "swapaxes", "swapdims"))]
    #[track_caller]
    pub fn swap_axes(&self, a: impl Axis, b: impl Axis) -> Tensor {
        let a = or_raise(checks::axis("swap_axes", self.shape(), a));
        let b = or_raise(checks::axis("swap_axes", self.shape(), b));
        let mut axes = self.axes();
        axes.swap(a, b);
        self.permute(&axes)
    }

    /// Splits the tensor along an axis into parts of `size` elements. The last
    /// part is smaller if the axis is not divisible. An empty axis gives one
    /// empty part.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[5], &[1., 2., 3., 4., 5.], Device::Cpu)?;
    /// let parts = x.split(2, 0);
    /// assert_eq!(parts[0].to_vec()?, [1., 2.]);
    /// assert_eq!(parts[2].to_vec()?, [5.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist, or `size` is 0.
    #[track_caller]
    pub fn split(&self, size: usize, axis: impl Axis) -> Vec<Tensor> {
        let axis = or_raise(checks::axis("split", self.shape(), axis));
        if size == 0 {
            mistake(format!(
                "split: parts of 0 elements along axis {axis} of shape {:?}; \
                 a part has at least 1",
                self.shape()
            ));
        }
        let n = self.shape()[axis];
        let starts = (0..n.max(1)).step_by(size);
        let sizes = starts.map(|start| size.min(n - start));
        self.split_sizes(&sizes.collect::<Vec<_>>(), axis)
    }

    /// Splits the tensor along an axis into parts of the given sizes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[4], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let parts = x.split_sizes(&[3, 1], 0);
    /// assert_eq!(parts[0].to_vec()?, [1., 2., 3.]);
    /// assert_eq!(parts[1].to_vec()?, [4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist, or the sizes do not add up to its size.
    #[doc(alias("split", "split_with_sizes"))]
    #[track_caller]
    pub fn split_sizes(&self, sizes: &[usize], axis: impl Axis) -> Vec<Tensor> {
        let axis = or_raise(checks::axis("split_sizes", self.shape(), axis));
        let total =
            sizes.iter().fold(0, |sum: usize, n| sum.saturating_add(*n));
        if total != self.shape()[axis] {
            mistake(format!(
                "split_sizes: the sizes {sizes:?} add up to {total}, but axis \
                 {axis} of shape {:?} has {} elements; make the two equal",
                self.shape(),
                self.shape()[axis]
            ));
        }
        let mut parts = Vec::with_capacity(sizes.len());
        let mut span = vec![Span::from(..); axis + 1];
        let mut start = 0;
        for size in sizes {
            span[axis] = (start..start + size).into();
            parts.push(self.slice(&span));
            start += size;
        }
        parts
    }

    /// Splits the tensor along an axis into at most `count` parts of equal
    /// size. As in PyTorch, the last part is smaller if the axis is not
    /// divisible, and there are fewer parts if rounding the size up needs
    /// fewer: 6 elements in 4 chunks are 3 parts of 2.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 4], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let halves = x.chunk(2, 1);
    /// assert_eq!(halves[0].to_vec()?, [1., 2.]);
    /// assert_eq!(halves[1].to_vec()?, [3., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist, or `count` is 0.
    #[track_caller]
    pub fn chunk(&self, count: usize, axis: impl Axis) -> Vec<Tensor> {
        let axis = or_raise(checks::axis("chunk", self.shape(), axis));
        if count == 0 {
            mistake(format!(
                "chunk: axis {axis} of shape {:?} in 0 chunks; ask for at \
                 least 1",
                self.shape()
            ));
        }
        match self.shape()[axis].div_ceil(count) {
            // PyTorch returns `count` empty parts of an empty axis.
            0 => self.split_sizes(&vec![0; count], axis),
            size => self.split(size, axis),
        }
    }

    /// Shifts the elements along an axis by `shift` positions. Elements that
    /// are shifted past the end reappear at the beginning; a negative shift
    /// moves them the other way. To roll several axes, call it once per axis.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[4], &[1., 2., 3., 4.], Device::Cpu)?;
    /// assert_eq!(x.roll(1, 0).to_vec()?, [4., 1., 2., 3.]);
    /// assert_eq!(x.roll(-1, 0).to_vec()?, [2., 3., 4., 1.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist.
    #[track_caller]
    pub fn roll(&self, shift: isize, axis: impl Axis) -> Tensor {
        let axis = or_raise(checks::axis("roll", self.shape(), axis));
        // No axis has more than `isize::MAX` elements.
        let n = self.shape()[axis];
        let shift = shift.rem_euclid(n.max(1) as isize) as usize;
        if shift == 0 {
            return self.clone();
        }
        let parts = self.split_sizes(&[n - shift, shift], axis);
        Tensor::cat(&[&parts[1], &parts[0]], axis)
    }
}
