//! Elementwise operations, in the order of [`crate::ops`]. Each launches a
//! kernel and records the local gradient rule. "A tensor on the GPU" and
//! "Reductions and barriers" build them; `reduce.rs` and `matrix.rs` contain
//! the rest.
//!
//! Part 1 has more operations. This part has those that training needs, plus
//! `div` and `gelu`. Any other would be one more kernel like `ew_exp` or
//! `ew_gelu`, without a new idea.

use super::reduce::repeat_axes;
use super::{Tensor, kernels};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::opencl::{Buffer, Gpu, Kernel};
use crate::ops::Op;
use crate::shape::{broadcast_axes, checked_size, strides};

/// The size of a work-group: large enough for any device to fill its compute
/// units.
pub(super) const GROUP: usize = 256;

/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let a = Tensor::new(&gpu, &[2], &[2.0, 3.0])?;
/// let b = Tensor::new(&gpu, &[2], &[5.0, -1.0])?;
/// assert_eq!(a.mul(&b).to_vec()?, [10.0, -3.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast, if the devices differ, or if a device
/// reports an error.
// ANCHOR: mul
impl Tensor {
    /// Multiplies elementwise, with broadcasting.
    ///
    /// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        let product = or_raise(binary("mul", &MUL, self, other));
        let needs = [self.records(), other.records()];
        let (a, b) = (self.detach(), other.detach());
        Tensor::record(Op::Mul, &[self, other], product, move |grad_out| {
            let grad_a = || grad_out.mul(&b).sum_to(a.shape());
            let grad_b = || grad_out.mul(&a).sum_to(b.shape());
            vec![needs[0].then(grad_a), needs[1].then(grad_b)]
        })
    }
}
// ANCHOR_END: mul

// ANCHOR: elementwise
/// Runs a kernel over pairs of elements, one item per pair. This function
/// spells out what `filled` does for the other operations, so that the whole
/// way from a tensor to a launch can be read in one place.
fn elementwise(kernel: &Kernel, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (gpu, n) = (a.gpu(), a.len());
    let out = gpu.allocate(n.max(1))?;
    if n > 0 {
        gpu.launch(kernel)
            .input(a.buffer())
            .input(b.buffer())
            .output(&out)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
    }
    Ok(Tensor::plain(a.shape(), out))
}
// ANCHOR_END: elementwise

impl Tensor {
    /// Adds elementwise; the shapes broadcast.
    ///
    /// `grad_a = grad_out`, `grad_b = grad_out`.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let a = Tensor::new(&gpu, &[2], &[2.0, 3.0])?;
    /// let b = Tensor::new(&gpu, &[2], &[5.0, -1.0])?;
    /// assert_eq!(a.add(&b).to_vec()?, [7.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, if the devices differ, or if a device
    /// reports an error.
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        let total = or_raise(binary("add", &ADD, self, other));
        let needs = [self.records(), other.records()];
        let (a, b) = (self.shape().to_vec(), other.shape().to_vec());
        Tensor::record(Op::Add, &[self, other], total, move |grad_out| {
            let grad_a = || grad_out.sum_to(&a);
            let grad_b = || grad_out.sum_to(&b);
            vec![needs[0].then(grad_a), needs[1].then(grad_b)]
        })
    }

    /// Subtracts elementwise: `a - b`, computed as `a + (-b)`.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let a = Tensor::new(&gpu, &[2], &[2.0, 3.0])?;
    /// let b = Tensor::new(&gpu, &[2], &[5.0, -1.0])?;
    /// assert_eq!(a.sub(&b).to_vec()?, [-3.0, 4.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, if the devices differ, or if a device
    /// reports an error.
    #[doc(alias = "subtract")]
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        or_raise(common_shape("sub", self, other));
        self.add(&other.neg())
    }

    /// Divides elementwise, `y = a / b`; the shapes broadcast.
    ///
    /// `grad_a = grad_out / b`, `grad_b = -(grad_out * y) / b`.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let a = Tensor::new(&gpu, &[2], &[2.0, 3.0])?;
    /// let b = Tensor::new(&gpu, &[2], &[5.0, -1.0])?;
    /// assert_eq!(a.div(&b).to_vec()?, [0.4, -3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, if the devices differ, or if a device
    /// reports an error.
    #[doc(alias = "divide")]
    #[track_caller]
    pub fn div(&self, other: &Tensor) -> Tensor {
        let y = or_raise(binary("div", &DIV, self, other));
        let needs = [self.records(), other.records()];
        let (a, b) = (self.shape().to_vec(), other.detach());
        let quotient = needs[1].then(|| y.clone());
        Tensor::record(Op::Div, &[self, other], y, move |grad_out| {
            let grad_a = || grad_out.div(&b).sum_to(&a);
            let grad_b = |y| grad_out.mul(y).div(&b).neg().sum_to(b.shape());
            vec![needs[0].then(grad_a), quotient.as_ref().map(grad_b)]
        })
    }

    /// Negates each element.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[1.0, -2.0])?;
    /// assert_eq!(x.neg().to_vec()?, [-1.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[doc(alias = "negative")]
    #[track_caller]
    pub fn neg(&self) -> Tensor {
        self.scale(-1.0)
    }

    /// Multiplies each element by a constant, which is not a tensor and gets
    /// no gradient.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[1.0, -2.0])?;
    /// assert_eq!(x.scale(3.0).to_vec()?, [3.0, -6.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[track_caller]
    pub fn scale(&self, factor: f32) -> Tensor {
        let out = or_raise(filled(self.gpu(), self.shape(), |out, n| {
            self.gpu()
                .launch(&kernels::EW_SCALE)
                .input(self.buffer())
                .output(out)
                .scalar(factor)
                .scalar(n as u32)
                .global(n)
                .local(GROUP)
                .run()
        }));
        Tensor::record(Op::Scale(factor), &[self], out, move |grad_out| {
            vec![Some(grad_out.scale(factor))]
        })
    }
}

impl Tensor {
    /// Computes the exponential, which is its own derivative.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[1], &[0.0])?;
    /// assert_eq!(x.exp().to_vec()?, [1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        let y = or_raise(unary(&kernels::EW_EXP, self));
        let derivative = y.clone();
        Tensor::record(Op::Exp, &[self], y, move |grad_out| {
            vec![Some(grad_out.mul(&derivative))]
        })
    }
}

impl Tensor {
    /// Computes ReLU, `max(x, 0)`. The derivative at 0 is 0, as in PyTorch.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[-1.0, 2.0])?;
    /// assert_eq!(x.relu().to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[track_caller]
    pub fn relu(&self) -> Tensor {
        let y = or_raise(unary(&kernels::EW_RELU, self));
        let x = self.detach();
        Tensor::record(Op::Relu, &[self], y, move |grad_out| {
            let grad_a = elementwise(&kernels::RELU_BACKWARD, grad_out, &x);
            vec![Some(or_raise(grad_a))]
        })
    }
}

impl Tensor {
    /// Computes the Gaussian error linear unit: each element times the
    /// standard normal distribution function at it.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[3], &[0.0, 9.0, -9.0])?;
    /// assert_eq!(x.gelu().to_vec()?, [0.0, 9.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the device reports an error.
    #[track_caller]
    pub fn gelu(&self) -> Tensor {
        let y = or_raise(unary(&kernels::EW_GELU, self));
        let x = self.detach();
        Tensor::record(Op::Gelu, &[self], y, move |grad_out| {
            let grad_a = elementwise(&kernels::GELU_BACKWARD, grad_out, &x);
            vec![Some(or_raise(grad_a))]
        })
    }
}

/// Runs a kernel over the elements, one item per element.
fn unary(kernel: &Kernel, a: &Tensor) -> Result<Tensor> {
    filled(a.gpu(), a.shape(), |out, n| {
        a.gpu()
            .launch(kernel)
            .input(a.buffer())
            .output(out)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}

/// Returns a new tensor of `n` elements, which `launch` fills. If it has no
/// elements, nothing is launched.
pub(super) fn filled(
    gpu: &Gpu,
    shape: &[usize],
    launch: impl FnOnce(&Buffer<f32>, usize) -> Result<()>,
) -> Result<Tensor> {
    let n = checked_size(shape)?;
    let out = gpu.allocate(n.max(1))?;
    if n > 0 {
        launch(&out, n)?;
    }
    Ok(Tensor::plain(shape, out))
}

/// Converts a size to the `u32` that kernels count in. A size that does not
/// fit becomes `u32::MAX`, which every launch rejects.
pub(super) fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// The kernels of a binary operation: for operands of equal shape, and for
/// operands that are broadcast.
type BinaryKernels = [Kernel; 2];

const MUL: BinaryKernels = [kernels::EW_MUL, kernels::BROADCAST_MUL];
const ADD: BinaryKernels = [kernels::EW_ADD, kernels::BROADCAST_ADD];
const DIV: BinaryKernels = [kernels::EW_DIV, kernels::BROADCAST_DIV];

/// Runs a binary operation with the kernel for its shapes. Equal shapes have
/// their own kernel because indexing broadcast operands costs divisions.
fn binary(
    op: &str,
    [equal, broadcast]: &BinaryKernels,
    a: &Tensor,
    b: &Tensor,
) -> Result<Tensor> {
    let shape = common_shape(op, a, b)?;
    if a.shape() == b.shape() {
        return elementwise(equal, a, b);
    }
    if shape.len() > 8 {
        // The broadcasting kernel handles at most eight axes.
        let expand = |t: &Tensor| {
            repeat_axes(t, &broadcast_axes(t.shape(), &shape), &shape)
        };
        return elementwise(equal, &expand(a)?, &expand(b)?);
    }
    let sizes: Vec<i32> = shape.iter().map(|&size| size as i32).collect();
    let [a_strides, b_strides] =
        [a, b].map(|t| broadcast_strides(t.shape(), &shape));
    filled(a.gpu(), &shape, |out, n| {
        a.gpu()
            .launch(broadcast)
            .input(a.buffer())
            .scalar(pad_axes(0, &a_strides))
            .input(b.buffer())
            .scalar(pad_axes(0, &b_strides))
            .output(out)
            .scalar(pad_axes(1, &sizes))
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()
    })
}

/// Returns the strides of an operand along each axis of the shape that it is
/// broadcast to; 0 where it is broadcast.
fn broadcast_strides(small: &[usize], large: &[usize]) -> Vec<i32> {
    let mut padded = vec![0; large.len() - small.len()];
    padded.extend(strides(small).into_iter().map(|stride| stride as i32));
    broadcast_axes(small, large).into_iter().for_each(|axis| padded[axis] = 0);
    padded
}

/// Pads up to eight axes for a kernel; missing axes are leading axes.
fn pad_axes(missing: i32, axes: &[i32]) -> [i32; 8] {
    let mut padded = [missing; 8];
    padded[8 - axes.len()..].copy_from_slice(axes);
    padded
}

/// Returns the shape to which two operands on one device broadcast.
fn common_shape(op: &str, a: &Tensor, b: &Tensor) -> Result<Vec<usize>> {
    one_device(op, a, b)?;
    checks::broadcast(op, a.shape(), b.shape())
}

pub(super) fn one_device(op: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    let remedy = "make both tensors on the same one";
    checks::same_device(op, [a.gpu(), b.gpu()], remedy)
}
