//! Reference implementations of every primitive in `f64`, without gradients,
//! views or threads. Introduced in "Nudge it".
//!
//! Tests, gradient checks and the verdicts of exercises compare every engine
//! with this code, so it is simple instead of fast.

mod windows;

use crate::ops::{Keep, Op};
use crate::shape::{self, Span};

/// An array of `f64` in row-major order, with its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size along each axis.
    pub shape: Vec<usize>,
    /// The elements, in row-major order.
    pub values: Vec<f64>,
}

impl Array {
    /// Creates an array from `f32` values, which are converted exactly.
    pub fn new(shape: &[usize], values: &[f32]) -> Array {
        let values = values.iter().map(|&v| f64::from(v));
        Array::from_values(shape, values.collect())
    }

    fn from_values(shape: &[usize], values: Vec<f64>) -> Array {
        assert_eq!(shape::size(shape), values.len(), "shape {shape:?}");
        Array { shape: shape.to_vec(), values }
    }

    fn offset(&self, index: &[usize]) -> usize {
        let strides = shape::strides(&self.shape);
        index.iter().zip(strides).map(|(i, step)| i * step as usize).sum()
    }

    fn get(&self, index: &[usize]) -> f64 {
        self.values[self.offset(index)]
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Array {
        let values = self.values.iter().map(|&x| f(x)).collect();
        Array { shape: self.shape.clone(), values }
    }
}

/// Applies `f` to each pair of elements, with broadcasting.
fn zip(a: &Array, b: &Array, f: impl Fn(f64, f64) -> f64) -> Array {
    let shape = shape::broadcast(&a.shape, &b.shape).expect("shapes that fit");
    let a_offsets = broadcast_offsets(&a.shape, &shape);
    let pairs = a_offsets.zip(broadcast_offsets(&b.shape, &shape));
    let values = pairs.map(|(i, j)| f(a.values[i], b.values[j])).collect();
    Array { shape, values }
}

/// Adds two arrays elementwise, with broadcasting.
pub fn add(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x + y)
}

/// Multiplies two arrays elementwise, with broadcasting.
pub fn mul(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x * y)
}

/// Divides two arrays elementwise, with broadcasting.
pub fn div(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x / y)
}

/// Reduces `a` to a shape that broadcasts to the shape of `a`.
fn reduce<T: Copy>(
    a: &Array,
    shape: &[usize],
    start: T,
    join: impl Fn(T, f64) -> T,
) -> Vec<T> {
    let mut values = vec![start; shape::size(shape)];
    for (offset, value) in broadcast_offsets(shape, &a.shape).zip(&a.values) {
        values[offset] = join(values[offset], *value);
    }
    values
}

/// Sums down to a shape that broadcasts to the shape of `a`. The summation is
/// compensated (Neumaier), so that a small sum of large terms is as accurate
/// as any other sum of its size.
pub fn sum(a: &Array, shape: &[usize]) -> Array {
    let add = |[sum, compensation]: [f64; 2], x: f64| {
        let total = sum + x;
        let [large, small] =
            if sum.abs() < x.abs() { [x, sum] } else { [sum, x] };
        [total, compensation + (large - total + small)]
    };
    let finish = |[sum, compensation]: [f64; 2]| {
        if sum.is_finite() { sum + compensation } else { sum }
    };
    let sums = reduce(a, shape, [0.0; 2], add).into_iter().map(finish);
    Array::from_values(shape, sums.collect())
}

/// Returns the maximum, or NaN if either is NaN; `f64::max` ignores a NaN.
fn nan_max(x: f64, y: f64) -> f64 {
    if y > x || y.is_nan() { y } else { x }
}

/// Computes the gradient of a maximum: splits `grads` equally among tied
/// maxima.
fn max_backward(a: &Array, max: &Array, grads: &Array) -> Array {
    let is_max = |x: f64, max| f64::from(x == max || x.is_nan());
    let winners = zip(a, max, is_max);
    mul(&winners, &div(grads, &sum(&winners, &max.shape)))
}

/// Computes the exponential of each element.
pub fn exp(a: &Array) -> Array {
    a.map(f64::exp)
}

/// Broadcasts `a` to `shape`: repeats it along each missing axis and each axis
/// of size 1.
pub fn expand(a: &Array, shape: &[usize]) -> Array {
    let offsets = broadcast_offsets(&a.shape, shape);
    let values = offsets.map(|offset| a.values[offset]).collect();
    Array::from_values(shape, values)
}

/// Multiplies two batches of matrices: (.., m, k) x (.., k, n) -> (.., m, n).
/// The leading axes must be equal.
pub fn matmul(a: &Array, b: &Array) -> Array {
    let ([outer @ .., m, k], [.., _, n]) = (&a.shape[..], &b.shape[..]) else {
        panic!("two batches of matrices")
    };
    let (m, k, n) = (*m, *k, *n);
    let mut values = Vec::new();
    for batch in 0..shape::size(outer) {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let products = (0..k).map(|l| {
                let (row, column) = ((batch * m + i) * k, batch * k * n + j);
                a.values[row + l] * b.values[column + l * n]
            });
            values.push(products.sum());
        }
    }
    Array::from_values(&[outer, &[m, n]].concat(), values)
}

/// Reorders the axes: axis `i` of the result is axis `axes[i]` of `a`.
pub fn permute(a: &Array, axes: &[usize]) -> Array {
    let strides = shape::strides(&a.shape);
    let shape: Vec<usize> = axes.iter().map(|&i| a.shape[i]).collect();
    let steps: Vec<isize> = axes.iter().map(|&i| strides[i]).collect();
    let offsets = shape::offsets(&shape, &steps, 0);
    let values = offsets.map(|offset| a.values[offset]).collect();
    Array::from_values(&shape, values)
}

/// Computes softmax along the last axis. It does not exponentiate
/// [`log_softmax`], because the relative error would grow with the logarithm.
pub fn softmax(a: &Array) -> Array {
    map_rows(a, |x, rest| x.exp() / (1.0 + rest))
}

/// Computes the logarithm of softmax along the last axis.
pub fn log_softmax(a: &Array) -> Array {
    map_rows(a, |x, rest| x - rest.ln_1p())
}

/// Applies `f` to each element minus the maximum of its row, and to the sum of
/// the exponentials of the other elements of the row.
fn map_rows(a: &Array, f: impl Fn(f64, f64) -> f64) -> Array {
    let columns = a.shape.last().copied().unwrap_or(1).max(1);
    let mut values = Vec::new();
    for row in a.values.chunks(columns) {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The exponential of the maximum is 1. It is left out of the sum,
        // because small terms would be rounded away when added to it.
        let first = row.iter().position(|&x| x == max);
        let others = row.iter().enumerate().filter(|(i, _)| Some(*i) != first);
        let rest: f64 = others.map(|(_, x)| (x - max).exp()).sum();
        // With an infinite score, every probability is NaN.
        let rest = if max.is_finite() { rest } else { f64::NAN };
        values.extend(row.iter().map(|x| f(x - max, rest)));
    }
    Array::from_values(&a.shape, values)
}

/// Lists for each element of the shape `large` the offset in `small` when
/// `small` is broadcast to `large`.
fn broadcast_offsets(
    small: &[usize],
    large: &[usize],
) -> impl Iterator<Item = usize> + use<> {
    let dense = shape::strides(small);
    let missing = large.len() - small.len();
    let strides: Vec<isize> = (0..large.len())
        .map(|axis| match axis.checked_sub(missing) {
            Some(own) if small[own] == large[axis] => dense[own],
            Some(own) => {
                assert_eq!(small[own], 1, "{small:?} within {large:?}");
                0
            }
            None => 0,
        })
        .collect();
    let all: Vec<usize> = shape::offsets(large, &strides, 0).collect();
    all.into_iter()
}

/// Lists the indices of every element of a shape, in row-major order.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let strides = shape::strides(shape);
    (0..shape::size(shape)).map(move |offset| {
        let axes = strides.iter().zip(shape);
        axes.map(|(&step, &n)| offset / step as usize % n).collect()
    })
}

/// Creates an array by computing each element from its index; `None` is 0.
fn from_fn(shape: &[usize], f: impl Fn(&[usize]) -> Option<f64>) -> Array {
    let values = indices(shape).map(|index| f(&index).unwrap_or(0.0));
    Array::from_values(shape, values.collect())
}

/// Converts an index in a slice to the index in the sliced array.
fn index_before_slicing(index: &[usize], spans: &[Span]) -> Vec<usize> {
    let axes = index.iter().zip(spans);
    axes.map(|(i, span)| span.start + i * span.step).collect()
}

/// Replaces the size of one axis of a shape.
fn with_size(shape: &[usize], axis: usize, size: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = size;
    shape
}

/// Returns the shape after a reduction, with the reduced axes as 1.
fn reduced_shape(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let size = |axis| if axes.contains(&axis) { 1 } else { shape[axis] };
    (0..shape.len()).map(size).collect()
}

/// Removes the reduced axes from the shape, unless they are kept.
fn drop_axes(reduced: Array, axes: &[usize], keep: Keep) -> Array {
    if keep == Keep::Yes {
        return reduced;
    }
    let axis = (0..reduced.shape.len()).filter(|axis| !axes.contains(axis));
    let shape: Vec<usize> = axis.map(|axis| reduced.shape[axis]).collect();
    Array::from_values(&shape, reduced.values)
}

/// Normalizes rows of `n` elements to mean 0 and variance 1. Also returns, for
/// each element, the deviation by which it was divided.
pub(crate) fn normal_rows(a: &Array, n: usize, epsilon: f64) -> [Array; 2] {
    let mut both = [a.clone(), a.clone()];
    for (i, row) in a.values.chunks(n.max(1)).enumerate() {
        let mean = row.iter().sum::<f64>() / n as f64;
        let squares = row.iter().map(|x| (x - mean) * (x - mean));
        let deviation = (squares.sum::<f64>() / n as f64 + epsilon).sqrt();
        for (j, x) in row.iter().enumerate() {
            both[0].values[i * n + j] = (x - mean) / deviation;
            both[1].values[i * n + j] = deviation;
        }
    }
    both
}

/// Computes an operation, or returns `None` if it has no reference.
pub fn forward(op: &Op, inputs: &[&Array]) -> Option<Array> {
    if let (Some(op), [a]) = (op.unary(), inputs) {
        return Some(a.map(|x| op.reference(x)));
    }
    if let (Some(op), [a, b]) = (op.binary(), inputs) {
        return Some(zip(a, b, |x, y| op.reference(x, y)));
    }
    Some(match (op, inputs) {
        (Op::Maximum, [a, b]) => zip(a, b, nan_max),
        (Op::Sum(axes, keep), [a]) => {
            drop_axes(sum(a, &reduced_shape(&a.shape, axes)), axes, *keep)
        }
        (Op::Max(axes, keep), [a]) => {
            let shape = reduced_shape(&a.shape, axes);
            let max = reduce(a, &shape, f64::NEG_INFINITY, nan_max);
            let max = Array::from_values(&shape, max);
            drop_axes(max, axes, *keep)
        }
        (Op::MaxBackward(_), [a, max, grads]) => max_backward(a, max, grads),
        (Op::Matmul, [a, b]) => matmul(a, b),
        (Op::Contract(batch, inner), [a, b]) => {
            windows::contract(a, b, *batch, *inner)
        }
        (Op::Conv2d(window, groups), [a, b]) => {
            return windows::convolve(a, b, window, *groups);
        }
        (Op::Reshape(shape), [a]) => {
            Array::from_values(shape, a.values.clone())
        }
        (Op::Permute(axes), [a]) => permute(a, axes),
        (Op::Softmax, [a]) => softmax(a),
        (Op::LogSoftmax, [a]) => log_softmax(a),
        (Op::LayerNorm(epsilon), [a, weight, bias]) => {
            let [rows, _] = normal_rows(a, weight.values.len(), *epsilon);
            add(&mul(&rows, weight), bias)
        }
        (Op::Pick(labels), [a]) => {
            let columns = a.shape[1];
            let rows = labels.iter().enumerate();
            let values = rows.map(|(i, &l)| a.values[i * columns + l]);
            Array::from_values(&[labels.len()], values.collect())
        }
        (Op::Expand(shape), [a]) => expand(a, shape),
        (Op::To(_), [a]) => (*a).clone(),
        (Op::Slice(spans), [a]) => {
            let axes = a.shape.iter().zip(spans);
            let shape: Vec<usize> =
                axes.map(|(&n, span)| span.indices(n).len()).collect();
            from_fn(&shape, |index| {
                Some(a.get(&index_before_slicing(index, spans)))
            })
        }
        (Op::SliceAssign(spans), [a, b]) => {
            let mut result = (*a).clone();
            for (index, value) in indices(&b.shape).zip(&b.values) {
                let index = index_before_slicing(&index, spans);
                let offset = result.offset(&index);
                result.values[offset] = *value;
            }
            result
        }
        (Op::Flip(axes), [a]) => from_fn(&a.shape, |index| {
            let mut from = index.to_vec();
            axes.iter().for_each(|&i| from[i] = a.shape[i] - 1 - index[i]);
            Some(a.get(&from))
        }),
        (Op::Cat(axis), parts) => {
            let mut shape = parts[0].shape.clone();
            shape[*axis] = parts.iter().map(|part| part.shape[*axis]).sum();
            from_fn(&shape, |index| {
                let mut from = index.to_vec();
                for part in parts {
                    match from[*axis].checked_sub(part.shape[*axis]) {
                        None => return Some(part.get(&from)),
                        Some(rest) => from[*axis] = rest,
                    }
                }
                None
            })
        }
        (Op::WhereCond, [mask, a, b]) => {
            let chosen = |i: usize| match mask.values[i] {
                0.0 => b.values[i],
                _ => a.values[i],
            };
            let values = (0..mask.values.len()).map(chosen).collect();
            Array::from_values(&mask.shape, values)
        }
        (Op::IndexSelect(axis, selected), [a]) => {
            from_fn(&with_size(&a.shape, *axis, selected.len()), |index| {
                let mut from = index.to_vec();
                from[*axis] = selected[index[*axis]];
                Some(a.get(&from))
            })
        }
        (Op::IndexAdd(axis, targets, size), [a]) => {
            from_fn(&with_size(&a.shape, *axis, *size), |index| {
                let sources =
                    (0..targets.len()).filter(|&i| targets[i] == index[*axis]);
                let value = |i| {
                    let mut from = index.to_vec();
                    from[*axis] = i;
                    a.get(&from)
                };
                Some(sources.map(value).sum())
            })
        }
        (Op::Windows(window), [a]) => return windows::windows(a, window),
        (Op::Fold(window, image), [a]) => windows::fold(a, window, image),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
