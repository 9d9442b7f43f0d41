//! The operations, in the order of [`crate::ops`]. Chapters 15 and 17 build
//! them: each launches a kernel and keeps the local rule that goes with it.

use super::Tensor;
use crate::error::{Error, mistake, or_raise};
use crate::opencl::{Kernel, kernels};
use crate::ops::Op;

/// The items of a work-group, enough for any device to fill its units.
pub(super) const GROUP: usize = 256;

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
    /// Each element times a number, which is no tensor and gets no gradient.
    #[track_caller]
    pub fn scale(&self, number: f32) -> Tensor {
        let out = or_raise(scale(self, number));
        Tensor::record(Op::Scale(number), &[self], out, move |grad_out| {
            vec![Some(grad_out.scale(number))]
        })
    }
}

fn scale(a: &Tensor, number: f32) -> Result<Tensor, Error> {
    let (gpu, n) = (a.gpu(), a.len());
    let out = gpu.allocate(n.max(1))?;
    if n > 0 {
        gpu.launch(&kernels::EW_SCALE)
            .input(a.buffer(), n)
            .output(&out, n)
            .scalar(number)
            .scalar(n as u32)
            .global(n)
            .local(GROUP)
            .run()?;
    }
    Ok(Tensor::plain(gpu, a.shape(), out))
}

/// A size as kernels count. One that they cannot count becomes one that no
/// launch accepts.
pub(super) fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
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
