//! Reductions, built in "Reductions and barriers".

use super::ops::{GROUP, count, filled};
use super::{Tensor, kernels};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::{Keep, Op};
use crate::shape::{broadcast_axes, keepdims, size};

/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// use rungrad::ops::Keep;
/// let x = Tensor::new(&gpu, &[2, 2], &[1., 2., 3., 4.])?;
/// assert_eq!(x.sum().to_vec()?, [10.]);
/// assert_eq!(x.sum_over(&[1], Keep::No).to_vec()?, [3., 7.]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If an axis does not exist or is listed twice, or if the device reports an
/// error.
// ANCHOR: sum
impl Tensor {
    /// Sums all elements into a tensor with one element and no axes.
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.all_axes(), Keep::No)
    }

    /// Sums over `axes`. Each summed element gets a copy of `grad_out`.
    #[track_caller]
    pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("sum", self.shape(), axes));
        let op = Op::Sum(axes.to_vec(), keep);
        let (shape, axes) = (self.shape().to_vec(), axes.to_vec());
        let total = or_raise(sum_axes(self, &axes));
        let total = total.shaped(&self.without(&axes, keep));
        Tensor::record(op, &[self], total, move |grad_out| {
            vec![Some(or_raise(repeat_axes(grad_out, &axes, &shape)))]
        })
    }
}
// ANCHOR_END: sum

impl Tensor {
    /// Computes the mean of all elements.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[1.0, 2.0])?;
    /// assert_eq!(x.mean().to_vec()?, [1.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[track_caller]
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.all_axes(), Keep::No)
    }

    /// Computes the mean over axes: the sum times the inverse of the count.
    /// The mean of no elements is NaN.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// use rungrad::ops::Keep;
    /// let x = Tensor::new(&gpu, &[2, 2], &[1., 2., 3., 4.])?;
    /// assert_eq!(x.mean_over(&[1], Keep::No).to_vec()?, [1.5, 3.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is listed twice, or if the device reports
    /// an error.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        or_raise(checks::axes("mean", self.shape(), axes));
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }
}

// ANCHOR: sum-all
/// Sums each group of elements to one value, repeatedly, until one value is
/// left.
fn sum_all(a: &Tensor) -> Result<Tensor> {
    let gpu = a.gpu();
    if a.is_empty() {
        return Tensor::new(gpu, &[], &[0.0]);
    }
    let mut values = a.detach();
    loop {
        let n = values.len();
        let groups = n.div_ceil(GROUP);
        let partial = gpu.allocate(groups)?;
        gpu.launch(&kernels::REDUCE_SUM)
            .input(values.buffer())
            .output(&partial)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
        if groups == 1 {
            return Ok(Tensor::plain(&[], partial));
        }
        values = Tensor::plain(&[groups], partial);
    }
}
// ANCHOR_END: sum-all

/// Sums over axes, which keep size 1. If one value is left, sums everything at
/// once.
fn sum_axes(a: &Tensor, axes: &[usize]) -> Result<Tensor> {
    if size(&keepdims(a.shape(), axes)) == 1 {
        return sum_all(a);
    }
    axes.iter().try_fold(a.detach(), |left, &axis| sum_axis(&left, axis))
}

/// Sums over one axis, which keeps size 1.
fn sum_axis(a: &Tensor, axis: usize) -> Result<Tensor> {
    let [outer, length, inner] = collapse(axis, a.shape());
    let mut shape = a.shape().to_vec();
    shape[axis] = 1;
    filled(a.gpu(), &shape, |out, n| {
        // The elements of a sum are contiguous, and there are enough of them
        // to keep a group busy.
        if inner == 1 && length >= GROUP {
            return a
                .gpu()
                .launch(&kernels::REDUCE_ROWS)
                .input(a.buffer())
                .output(out)
                .scalar(count(length))
                .global(outer * GROUP)
                .local(GROUP)
                .run();
        }
        a.gpu()
            .launch(&kernels::REDUCE_AXIS)
            .input(a.buffer())
            .output(out)
            .scalar(count(length))
            .scalar(count(inner))
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}

/// Repeats the elements along the axes, up to a shape: the opposite of
/// [`sum_axes`].
pub(super) fn repeat_axes(
    a: &Tensor,
    axes: &[usize],
    shape: &[usize],
) -> Result<Tensor> {
    if a.len() == 1 {
        return Ok(repeat(a, [1, size(shape), 1])?.shaped(shape));
    }
    let mut grown = keepdims(shape, axes);
    axes.iter().try_fold(a.shaped(&grown), |left, &axis| {
        grown[axis] = shape[axis];
        Ok(repeat(&left, collapse(axis, &grown))?.shaped(&grown))
    })
}

/// Repeats elements: (outer, inner) -> (outer, length, inner).
fn repeat(a: &Tensor, [outer, length, inner]: [usize; 3]) -> Result<Tensor> {
    filled(a.gpu(), &[outer, length, inner], |out, n| {
        a.gpu()
            .launch(&kernels::EW_REPEAT)
            .input(a.buffer())
            .output(out)
            .scalar(length as u32)
            .scalar(inner as u32)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}

/// Collapses a shape to three axes: the axes before one axis, that axis, and
/// the axes after it.
fn collapse(axis: usize, shape: &[usize]) -> [usize; 3] {
    [size(&shape[..axis]), shape[axis], size(&shape[axis + 1..])]
}

impl Tensor {
    /// Sums over each axis along which `shape` was broadcast to this tensor's
    /// shape.
    pub(super) fn sum_to(&self, shape: &[usize]) -> Tensor {
        let axes = broadcast_axes(shape, self.shape());
        match axes.is_empty() {
            true => self.clone(),
            false => self.sum_over(&axes, Keep::Yes).shaped(shape),
        }
    }

    pub(super) fn all_axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }

    /// Returns the shape after a reduction.
    fn without(&self, axes: &[usize], keep: Keep) -> Vec<usize> {
        let mut shape = keepdims(self.shape(), axes);
        if keep == Keep::No {
            let mut axis = 0..shape.len();
            shape.retain(|_| !axes.contains(&axis.next().expect("an axis")));
        }
        shape
    }
}
