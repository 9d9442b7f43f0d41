//! The operations as methods, in the order of [`crate::ops`] and then Part
//! 3's own. Each hands a function to [`apply`], which does the rest for every
//! device; most are made of others in a line. Chapters 22 to 26 build them.

use std::ops::Range;

use super::functions::*;
use super::{Tensor, apply};
use crate::error::{mistake, or_raise};
use crate::ops::Keep;
use crate::shape::{broadcast, checked_size, stretched};

// ANCHOR: operations
impl Tensor {
    /// The elementwise product; the shapes broadcast.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        let [a, b] = alike("mul", [self, other]);
        apply(Mul, &[&a, &b])
    }

    /// The elementwise sum; the shapes broadcast.
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        let [a, b] = alike("add", [self, other]);
        apply(Add, &[&a, &b])
    }
}
// ANCHOR_END: operations

impl Tensor {
    /// `a - b`, as `a + (-b)`.
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        let [a, b] = alike("sub", [self, other]);
        a.add(&b.neg())
    }

    /// The elementwise quotient; the shapes broadcast.
    #[track_caller]
    pub fn div(&self, other: &Tensor) -> Tensor {
        let [a, b] = alike("div", [self, other]);
        apply(Div, &[&a, &b])
    }

    /// `-a`.
    #[track_caller]
    pub fn neg(&self) -> Tensor {
        self.scale(-1.0)
    }

    /// Each element to the power of a number.
    #[track_caller]
    pub fn pow(&self, number: f32) -> Tensor {
        apply(Pow(number), &[self])
    }

    /// The exponential of each element.
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        apply(Exp, &[self])
    }

    /// The natural logarithm of each element.
    #[track_caller]
    pub fn log(&self) -> Tensor {
        apply(Log, &[self])
    }

    /// The positive part of each element.
    #[track_caller]
    pub fn relu(&self) -> Tensor {
        apply(Relu, &[self])
    }

    /// The absolute value, as two positive parts; at 0 the slope is 0.
    #[track_caller]
    pub fn abs(&self) -> Tensor {
        self.relu().add(&self.neg().relu())
    }

    /// The square root, as a power.
    #[track_caller]
    pub fn sqrt(&self) -> Tensor {
        self.pow(0.5)
    }

    /// The hyperbolic tangent of each element.
    #[track_caller]
    pub fn tanh(&self) -> Tensor {
        apply(Tanh, &[self])
    }

    /// The logistic function of each element.
    #[track_caller]
    pub fn sigmoid(&self) -> Tensor {
        apply(Sigmoid, &[self])
    }

    /// The sum of all elements, a tensor of one element and no axes.
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        self.sum_over(&self.axes(), Keep::No)
    }

    /// The sum over some axes.
    #[track_caller]
    pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        let (axes, from) = (axes.to_vec(), self.shape().to_vec());
        apply(Sum { axes, keep, from }, &[self])
    }

    /// The mean of all elements.
    #[track_caller]
    pub fn mean(&self) -> Tensor {
        self.mean_over(&self.axes(), Keep::No)
    }

    /// The mean over some axes, as a sum and a product. Over no elements it
    /// is 0 / 0, a NaN.
    #[track_caller]
    pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        self.check_axes("mean", axes);
        let count: usize =
            axes.iter().map(|&axis| self.shape()[axis]).product();
        self.sum_over(axes, keep).scale(1.0 / count as f32)
    }

    /// The largest of all elements.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.max_over(&self.axes(), Keep::No)
    }

    /// The largest over some axes.
    #[track_caller]
    pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
        apply(Max { axes: axes.to_vec(), keep }, &[self])
    }

    /// The product of matrices: (.., m, k) x (.., k, n) -> (.., m, n). The
    /// axes in front broadcast.
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        let ([a_outer @ .., m, k], [b_outer @ .., l, n]) =
            (self.shape(), other.shape())
        else {
            return apply(Matmul, &[self, other]);
        };
        let Some(outer) = broadcast(a_outer, b_outer) else {
            return apply(Matmul, &[self, other]);
        };
        let a = self.expand(&[&outer, &[*m, *k][..]].concat());
        let b = other.expand(&[&outer, &[*l, *n][..]].concat());
        apply(Matmul, &[&a, &b])
    }

    /// The same elements in row-major order under another shape.
    #[track_caller]
    pub fn reshape(&self, shape: &[usize]) -> Tensor {
        let (shape, from) = (shape.to_vec(), self.shape().to_vec());
        apply(Reshape { shape, from }, &[self])
    }

    /// The last two axes, exchanged.
    #[track_caller]
    pub fn transpose(&self) -> Tensor {
        let mut axes = self.axes();
        let count = axes.len();
        if count < 2 {
            mistake(format!(
                "transpose: shape {:?} has no two axes to exchange; reshape \
                 it to a matrix",
                self.shape()
            ));
        }
        axes.swap(count - 2, count - 1);
        self.permute(&axes)
    }

    /// Positive numbers that sum to 1 along the last axis.
    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        self.check_row("softmax");
        self.log_softmax().exp()
    }

    /// The logarithm of [`Tensor::softmax`].
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        self.check_row("log_softmax");
        apply(LogSoftmax, &[self])
    }

    /// The mean loss of scores (n, classes) against the right class of each
    /// row: the negative logarithm of the share that it got.
    #[track_caller]
    pub fn cross_entropy(&self, labels: &[usize]) -> Tensor {
        self.check_labels(labels);
        self.log_softmax().pick(labels).mean().neg()
    }
}

// Part 3's own: another loss, what the others are made of, and movements.
// ANCHOR: mse
impl Tensor {
    /// The mean of the squared differences: a loss against numbers, as
    /// [`Tensor::cross_entropy`] is one against classes. A column of answers
    /// would stretch against a row of numbers, and be compared with all.
    #[track_caller]
    pub fn mse(&self, target: &Tensor) -> Tensor {
        if self.shape() != target.shape() {
            mistake(format!(
                "mse: the answers have shape {:?} and the numbers {:?}; \
                 reshape one to the other",
                self.shape(),
                target.shape()
            ));
        }
        let gap = self.sub(target);
        gap.mul(&gap).mean()
    }
}
// ANCHOR_END: mse

impl Tensor {
    /// Each element times a number, which gets no gradient.
    #[track_caller]
    pub fn scale(&self, number: f32) -> Tensor {
        apply(Scale(number), &[self])
    }

    /// Each element plus a number.
    #[track_caller]
    pub fn shift(&self, number: f32) -> Tensor {
        apply(Shift(number), &[self])
    }

    /// Each element divided by a number.
    #[track_caller]
    pub fn over(&self, number: f32) -> Tensor {
        apply(Over(number), &[self])
    }

    /// A number divided by each element.
    #[track_caller]
    pub fn under(&self, number: f32) -> Tensor {
        apply(Under(number), &[self])
    }

    /// The sine of each element, an angle in radians.
    #[track_caller]
    pub fn sin(&self) -> Tensor {
        apply(Sin, &[self])
    }

    /// The cosine of each element, an angle in radians. To turn the sine by
    /// a quarter would round a large angle.
    #[track_caller]
    pub fn cos(&self) -> Tensor {
        apply(Cos, &[self])
    }

    /// The sum over each axis along which `shape` is shorter: the mirror of
    /// [`Tensor::expand`].
    #[track_caller]
    pub fn sum_to(&self, shape: &[usize]) -> Tensor {
        if broadcast(shape, self.shape()).as_deref() != Some(self.shape()) {
            mistake(format!(
                "sum: {:?} does not sum to {shape:?}; aligned at the right, \
                 each size must be equal or 1",
                self.shape()
            ));
        }
        let axes = stretched(shape, self.shape());
        match axes.is_empty() {
            true => self.clone(),
            false => self.sum_over(&axes, Keep::Yes).reshape(shape),
        }
    }

    /// The elements repeated along axes of size 1 and along new axes in
    /// front.
    #[track_caller]
    pub fn expand(&self, shape: &[usize]) -> Tensor {
        if shape == self.shape() {
            return self.clone();
        }
        let (shape, from) = (shape.to_vec(), self.shape().to_vec());
        apply(Expand { shape, from }, &[self])
    }

    /// The axes in another order: axis `i` of the result is `axes[i]` here.
    #[track_caller]
    pub fn permute(&self, axes: &[usize]) -> Tensor {
        apply(Permute { axes: axes.to_vec() }, &[self])
    }

    /// A part of each axis. Axes that are not named at the end stay whole.
    #[track_caller]
    pub fn slice(&self, ranges: &[Range<usize>]) -> Tensor {
        let mut ranges = ranges.to_vec();
        let rest = self.shape().get(ranges.len()..).unwrap_or(&[]);
        ranges.extend(rest.iter().map(|&n| 0..n));
        apply(Slice { ranges, from: self.shape().to_vec() }, &[self])
    }

    /// Zeros around: so many before and behind along each axis.
    #[track_caller]
    pub fn pad(&self, widths: &[[usize; 2]]) -> Tensor {
        let (widths, from) = (widths.to_vec(), self.shape().to_vec());
        apply(Pad { widths, from }, &[self])
    }

    /// Some axes backwards.
    #[track_caller]
    pub fn flip(&self, axes: &[usize]) -> Tensor {
        apply(Flip { axes: axes.to_vec() }, &[self])
    }

    /// One tensor after another along an axis.
    #[track_caller]
    pub fn cat(parts: &[&Tensor], axis: usize) -> Tensor {
        let size = |t: &&Tensor| t.shape().get(axis).copied().unwrap_or(0);
        apply(Cat { axis, sizes: parts.iter().map(size).collect() }, parts)
    }
}

impl Tensor {
    fn axes(&self) -> Vec<usize> {
        (0..self.shape().len()).collect()
    }

    #[track_caller]
    fn check_axes(&self, op: &str, axes: &[usize]) {
        or_raise(self.array.view().check_axes(op, axes));
    }

    #[track_caller]
    fn check_row(&self, op: &str) {
        if self.shape().is_empty() {
            mistake(format!(
                "{op}: a tensor without axes has no row; reshape it to [1, 1]"
            ));
        }
    }
}

/// The operands, stretched to one shape. The gradient of each finds its way
/// back through the `Expand` that this puts into the graph.
#[track_caller]
pub(super) fn alike<const N: usize>(
    op: &str,
    operands: [&Tensor; N],
) -> [Tensor; N] {
    let first = operands[0];
    let mut shape = first.shape().to_vec();
    for other in &operands[1..] {
        or_raise(first.array.check_device(op, &other.array));
        let Some(both) = broadcast(&shape, other.shape()) else {
            mistake(format!(
                "{op}: the shapes {shape:?} and {:?} do not broadcast; \
                 aligned at the right, sizes must be equal or 1",
                other.shape()
            ))
        };
        shape = both;
    }
    or_raise(checked_size(&shape));
    operands.map(|operand| operand.expand(&shape))
}
