//! The operations, in the order of [`crate::ops`]. Chapters 15 and 17 build
//! them: each launches a kernel and keeps the local rule that goes with it.

use super::Tensor;
use crate::error::{Error, mistake, or_raise};
use crate::opencl::{Kernel, kernels};
use crate::ops::{Keep, Op};

/// The items of a work-group, enough for any device to fill its units.
const GROUP: usize = 256;

// ANCHOR: mul
impl Tensor {
    /// The elementwise product of two equal shapes.
    ///
    /// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        same_shape("mul", self, other);
        let product = or_raise(elementwise(&kernels::EW_MUL, self, other));
        let needs = [self.needs_grad(), other.needs_grad()];
        let (a, b) = (self.detach(), other.detach());
        Tensor::from_op("mul", &[self, other], product, move |grad_out| {
            vec![
                needs[0].then(|| grad_out.mul(&b)),
                needs[1].then(|| grad_out.mul(&a)),
            ]
        })
    }
}
// ANCHOR_END: mul

// ANCHOR: elementwise
/// Runs a kernel over pairs of elements: one item for each pair.
fn elementwise(
    kernel: &Kernel,
    a: &Tensor,
    b: &Tensor,
) -> Result<Tensor, Error> {
    let (gpu, n) = (a.gpu(), a.len());
    let out = gpu.allocate(n.max(1))?;
    if n > 0 {
        gpu.launch(kernel)
            .input(a.buffer(), n)
            .input(b.buffer(), n)
            .output(&out, n)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
    }
    Ok(Tensor::plain(gpu, a.shape(), out))
}
// ANCHOR_END: elementwise

/// `a + b` without a graph: how backward adds gradients up.
pub(super) fn add(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    elementwise(&kernels::EW_ADD, a, b)
}

impl Tensor {
    /// The sum of all elements, a tensor of one element and no axes.
    ///
    /// `grad_a` is `grad_out`, once for each element that was summed.
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        let total = or_raise(reduce(self));
        let shape = self.shape().to_vec();
        let op = Op::Sum((0..shape.len()).collect(), Keep::No);
        Tensor::record(op, &[self], total, move |grad_out| {
            vec![Some(or_raise(repeat(grad_out, &shape)))]
        })
    }
}

/// Sums groups of elements to one number each, again and again, until one
/// is left.
fn reduce(a: &Tensor) -> Result<Tensor, Error> {
    let gpu = a.gpu();
    if a.is_empty() {
        return Tensor::new(gpu, &[], &[0.0]);
    }
    let mut numbers = a.detach();
    loop {
        let n = numbers.len();
        let groups = n.div_ceil(GROUP);
        let partial = gpu.allocate(groups)?;
        gpu.launch(&kernels::REDUCE_SUM)
            .input(numbers.buffer(), n)
            .output(&partial, groups)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
        if groups == 1 {
            return Ok(Tensor::plain(gpu, &[], partial));
        }
        numbers = Tensor::plain(gpu, &[groups], partial);
    }
}

/// One number, repeated to a shape.
fn repeat(number: &Tensor, shape: &[usize]) -> Result<Tensor, Error> {
    let (gpu, n) = (number.gpu(), shape.iter().product::<usize>());
    let out = gpu.allocate(n.max(1))?;
    if n > 0 {
        gpu.launch(&kernels::EW_REPEAT)
            .input(number.buffer(), 1)
            .output(&out, n)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
    }
    Ok(Tensor::plain(gpu, shape, out))
}

#[track_caller]
fn same_shape(op: &str, a: &Tensor, b: &Tensor) {
    if a.gpu() != b.gpu() {
        mistake(format!(
            "{op}: the operands are on two devices, {} and {}; make both \
             tensors on the same one",
            a.gpu().name(),
            b.gpu().name()
        ));
    }
    if a.shape() != b.shape() {
        mistake(format!(
            "{op}: the shapes {:?} and {:?} differ; give both operands the \
             same shape",
            a.shape(),
            b.shape()
        ));
    }
}
