//! Arithmetic on plain ndarray arrays, without recording a graph. "Shapes that
//! stretch" builds the broadcasting.
//!
//! Invariant: every array of a tensor is in row-major order, so its elements
//! are one slice. Arrays from outside the crate pass through [`row_major`].

use ndarray::{ArrayD, ArrayViewD, Axis, Ix2, IxDyn};

use crate::checks;
use crate::error::{or_raise, room};
use crate::shape::{broadcast_axes, size};

/// Returns the elements as a slice, in row-major order.
pub(super) fn slice(a: &ArrayD<f32>) -> &[f32] {
    a.as_slice().expect("every array of a tensor is in row-major order")
}

/// Copies the array into row-major order, unless it already is. ndarray
/// transposes by changing strides, without moving any element.
pub(super) fn row_major(a: ArrayD<f32>) -> ArrayD<f32> {
    if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() }
}

fn array(shape: &[usize], values: Vec<f32>) -> ArrayD<f32> {
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("one value each")
}

/// Applies `f` to each pair of elements, after broadcasting the shapes.
#[track_caller]
pub(super) fn zip(
    op: &str,
    a: &ArrayD<f32>,
    b: &ArrayD<f32>,
    f: impl Fn(f32, f32) -> f32,
) -> ArrayD<f32> {
    if a.shape() == b.shape() {
        return zip_equal(a, b, f);
    }
    let shape = or_raise(checks::broadcast(op, a.shape(), b.shape()));
    // Two small shapes can broadcast to one that does not fit into memory.
    or_raise(room::<f32>(size(&shape)));
    zip_equal(&expand(a, &shape), &expand(b, &shape), f)
}

// ANCHOR: expand
/// Broadcasts the array to `shape` by copying its elements.
pub(super) fn expand(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let view = a.broadcast(IxDyn(shape)).expect("a shape that it stretches to");
    view.as_standard_layout().into_owned()
}
// ANCHOR_END: expand

// ANCHOR: sum-to
/// Reverses [`expand`] for gradients: sums `grad` down to `shape`, so that a
/// repeated element gets the sum of the gradients of all its copies.
pub(super) fn sum_to(grad: ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    if grad.shape() == shape {
        return grad;
    }
    let axes = broadcast_axes(shape, grad.shape());
    reshape(&sum_axes(&grad, &axes), shape)
}
// ANCHOR_END: sum-to

// ANCHOR: zip-equal
fn zip_equal(
    a: &ArrayD<f32>,
    b: &ArrayD<f32>,
    f: impl Fn(f32, f32) -> f32,
) -> ArrayD<f32> {
    let pairs = slice(a).iter().zip(slice(b));
    array(a.shape(), pairs.map(|(&x, &y)| f(x, y)).collect())
}
// ANCHOR_END: zip-equal

/// Sums over `axes` and removes them from the shape. The sums are computed in
/// `f64` and rounded once at the end.
pub(super) fn sum_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let mut sums = a.mapv(f64::from);
    // From the last axis to the first: removing an axis renumbers only the
    // axes after it.
    for &axis in sorted(axes).iter().rev() {
        sums = sums.sum_axis(Axis(axis));
    }
    row_major(sums.mapv(|sum| sum as f32))
}

/// Computes the maximum over `axes` and removes them from the shape. Each axis
/// must have at least one element. A NaN is the maximum; `f32::max` would
/// ignore it.
pub(super) fn max_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let mut result = a.clone();
    for &axis in sorted(axes).iter().rev() {
        result = result.fold_axis(Axis(axis), f32::NEG_INFINITY, |&x, &y| {
            if y > x || y.is_nan() { y } else { x }
        });
    }
    row_major(result)
}

fn sorted(axes: &[usize]) -> Vec<usize> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    axes
}

// ANCHOR: product
/// Multiplies matrices: (m, k) x (k, n) -> (m, n).
pub(super) fn matmul(a: ArrayViewD<f32>, b: ArrayViewD<f32>) -> ArrayD<f32> {
    let a = a.into_dimensionality::<Ix2>().expect("a matrix");
    let b = b.into_dimensionality::<Ix2>().expect("a matrix");
    row_major(a.dot(&b).into_dyn())
}
// ANCHOR_END: product

/// Reorders the axes.
pub(super) fn permute(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let view = a.view().permuted_axes(IxDyn(axes));
    view.as_standard_layout().into_owned()
}

/// Copies the elements into an array of a different shape and equal size.
pub(super) fn reshape(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    array(shape, slice(a).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_all_axes_are_rounded_once() {
        let a = array(&[2, 2], vec![1e8, 1.0, -1e8, 0.0]);
        assert_eq!(slice(&sum_axes(&a, &[0, 1])), [1.0]);
    }
}
