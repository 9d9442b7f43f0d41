//! Matrix multiplication, reshaping, and the loss of a classifier, built in
//! "Reductions and barriers" and "The matmul ladder".

use std::rc::Rc;

use super::matmul::product;
use super::ops::{GROUP, count, filled, one_device};
use super::{Tensor, kernels};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::opencl::Buffer;
use crate::ops::{Keep, Op};
use crate::shape::size;

/// The side of a tile in `kernels/part2/transpose_tiled.cl`.
const TILE: usize = 16;

/// The number of items per row in `kernels/part2/softmax_log.cl`.
const ROW_GROUP: usize = 64;

/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let x = Tensor::new(&gpu, &[2, 2], &[1., 2., 3., 4.])?;
/// assert_eq!(x.matmul(&x).to_vec()?, [7., 10., 15., 22.]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If an operand is not a matrix, if the sizes do not match, or if the devices
/// differ.
// ANCHOR: matmul
impl Tensor {
    /// Multiplies matrices: (m, k) x (k, n) -> (m, n).
    ///
    /// `grad_a = grad_out b^T`, `grad_b = a^T grad_out`.
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        or_raise(one_device("matmul", self, other));
        or_raise(checks::matmul_2d(self.shape(), other.shape()));
        let out = or_raise(product(self, other));
        let needs = [self.records(), other.records()];
        let (a, b) = (self.detach(), other.detach());
        Tensor::record(Op::Matmul, &[self, other], out, move |grad_out| {
            let grad_a = || grad_out.matmul(&b.transpose());
            let grad_b = || a.transpose().matmul(grad_out);
            vec![needs[0].then(grad_a), needs[1].then(grad_b)]
        })
    }
}
// ANCHOR_END: matmul

impl Tensor {
    /// Returns a tensor of the same elements, in row-major order, with a new
    /// shape. It shares the buffer, because a buffer has no shape.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2, 3], &[0.0; 6])?;
    /// assert_eq!(x.reshape(&[3, 2]).shape(), [3, 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the new shape has a different number of elements.
    #[doc(alias = "view")]
    #[track_caller]
    pub fn reshape(&self, shape: &[usize]) -> Tensor {
        or_raise(checks::reshape(self.shape(), shape));
        let from = self.shape().to_vec();
        let (op, out) = (Op::Reshape(shape.to_vec()), self.shaped(shape));
        Tensor::record(op, &[self], out, move |grad_out| {
            vec![Some(grad_out.shaped(&from))]
        })
    }

    /// Swaps the last two axes.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2, 2], &[1., 2., 3., 4.])?;
    /// assert_eq!(x.transpose().to_vec()?, [1., 3., 2., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes, or if the device reports an error.
    #[track_caller]
    pub fn transpose(&self) -> Tensor {
        or_raise(checks::two_axes("transpose", self.shape()));
        let (batch, matrix) = self.shape().split_at(self.shape().len() - 2);
        let (rows, columns) = (matrix[0], matrix[1]);
        let shape = [batch, &[columns, rows]].concat();
        let out = or_raise(filled(self.gpu(), &shape, |out, _| {
            self.gpu()
                .launch(&kernels::TRANSPOSE_TILED)
                .input(self.buffer())
                .output(out)
                .scalar(count(rows))
                .scalar(count(columns))
                .global([columns, rows, size(batch)])
                .local([TILE, TILE, 1])
                .run()
        }));
        let mut order = self.all_axes();
        order.swap(batch.len(), batch.len() + 1);
        Tensor::record(Op::Permute(order), &[self], out, |grad_out| {
            // Swapping twice changes nothing, so the gradient is swapped too.
            vec![Some(grad_out.transpose())]
        })
    }
}

impl Tensor {
    /// Computes softmax along the last axis: positive values that sum to 1.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[7.0, 7.0])?;
    /// assert_eq!(x.softmax().to_vec()?, [0.5, 0.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor has no axes, or if the device reports an error.
    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        or_raise(checks::last_axis("softmax", self.shape()));
        self.log_softmax().exp()
    }

    /// Computes the logarithm of [`Tensor::softmax`]. The maximum of each row
    /// is subtracted first, so no exponential overflows.
    ///
    /// `grad_a = grad_out - softmax(a) * sum(grad_out)`, row by row.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[7.0, 7.0])?;
    /// let logs = x.log_softmax().to_vec()?;
    /// assert!((logs[0] + 2f32.ln()).abs() < 1e-6);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor has no axes, or if the device reports an error.
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        or_raise(checks::last_axis("log_softmax", self.shape()));
        let last = self.shape().len() - 1;
        let columns = self.shape()[last];
        let y = or_raise(filled(self.gpu(), self.shape(), |out, n| {
            self.gpu()
                .launch(&kernels::SOFTMAX_LOG)
                .input(self.buffer())
                .output(out)
                .scalar(count(columns))
                .global(n / columns * ROW_GROUP)
                .local(ROW_GROUP)
                .run()
        }));
        let logs = y.clone();
        Tensor::record(Op::LogSoftmax, &[self], y, move |grad_out| {
            let total = grad_out.sum_over(&[last], Keep::Yes);
            vec![Some(grad_out.sub(&logs.exp().mul(&total)))]
        })
    }
}

impl Tensor {
    /// Computes the mean cross-entropy of scores (n, classes) and the correct
    /// class of each row: the negative logarithm of that class's probability.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let scores = Tensor::new(&gpu, &[3, 2], &[0.0; 6])?;
    /// let loss = scores.cross_entropy(&[0, 1, 1]).to_vec()?;
    /// assert!((loss[0] - 2f32.ln()).abs() < 1e-6);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the labels do not match the scores, or if the device reports an
    /// error.
    #[doc(alias = "nll_loss")]
    #[track_caller]
    pub fn cross_entropy(&self, labels: &[usize]) -> Tensor {
        or_raise(checks::labels("cross_entropy", self.shape(), labels));
        self.log_softmax().pick(labels).mean().neg()
    }

    /// Selects from each row the element that its label names: (n, classes) ->
    /// (n). All other elements get a gradient of 0.
    #[track_caller]
    fn pick(&self, labels: &[usize]) -> Tensor {
        let (shape, op) = (self.shape().to_vec(), Op::Pick(labels.to_vec()));
        let labels = Rc::new(or_raise(upload(self, labels)));
        let out = or_raise(pick(self, &labels));
        Tensor::record(op, &[self], out, move |grad_out| {
            vec![Some(or_raise(pick_backward(grad_out, &labels, &shape)))]
        })
    }
}

/// Copies labels to the device of the scores, followed by an unused one:
/// OpenCL has no buffer of 0 bytes.
fn upload(scores: &Tensor, labels: &[usize]) -> Result<Buffer<u32>> {
    let labels = labels.iter().map(|&label| label as u32);
    scores.gpu().upload(&labels.chain([0]).collect::<Vec<_>>())
}

fn pick(a: &Tensor, labels: &Buffer<u32>) -> Result<Tensor> {
    let (rows, classes) = (a.shape()[0], a.shape()[1]);
    filled(a.gpu(), &[rows], |out, n| {
        a.gpu()
            .launch(&kernels::PICK_LABELS)
            .input(a.buffer())
            .input(labels)
            .output(out)
            .scalar(classes as u32)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}

fn pick_backward(
    grad_out: &Tensor,
    labels: &Buffer<u32>,
    shape: &[usize],
) -> Result<Tensor> {
    let classes = shape[1];
    filled(grad_out.gpu(), shape, |out, n| {
        grad_out
            .gpu()
            .launch(&kernels::PICK_BACKWARD)
            .input(grad_out.buffer())
            .input(labels)
            .output(out)
            .scalar(classes as u32)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}
