//! The judge: each primitive once more in `f64`, slow and obvious, without
//! gradients, without views, without threads. "Nudge it" introduces it.
//!
//! Tests, gradient checks and the verdicts of exercises compare every engine
//! with these few lines, so nothing here is clever.

mod windows;

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use crate::ops::{Keep, Op};
use crate::shape::{self, Span};

/// Numbers in row-major order, with their shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size along each axis.
    pub shape: Vec<usize>,
    /// The elements, the last axis dense.
    pub values: Vec<f64>,
}

impl Array {
    /// Makes an array of `f32` values, each taken over exactly.
    pub fn new(shape: &[usize], values: &[f32]) -> Array {
        let values = values.iter().map(|&v| f64::from(v));
        Array::from_values(shape, values.collect())
    }

    fn from_values(shape: &[usize], values: Vec<f64>) -> Array {
        assert_eq!(shape::size(shape), values.len(), "shape {shape:?}");
        Array { shape: shape.to_vec(), values }
    }

    fn place(&self, at: &[usize]) -> usize {
        let strides = shape::strides(&self.shape);
        at.iter().zip(strides).map(|(i, step)| i * step as usize).sum()
    }

    fn at(&self, at: &[usize]) -> f64 {
        self.values[self.place(at)]
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Array {
        let values = self.values.iter().map(|&x| f(x)).collect();
        Array { shape: self.shape.clone(), values }
    }
}

/// Applies `f` to each pair of elements, the shapes broadcast.
fn zip(a: &Array, b: &Array, f: impl Fn(f64, f64) -> f64) -> Array {
    let shape = shape::broadcast(&a.shape, &b.shape).expect("shapes that fit");
    let pairs = within(&a.shape, &shape).zip(within(&b.shape, &shape));
    let values = pairs.map(|(i, j)| f(a.values[i], b.values[j])).collect();
    Array { shape, values }
}

/// Adds two arrays; the shapes broadcast.
pub fn add(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x + y)
}

/// Multiplies two arrays; the shapes broadcast.
pub fn mul(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x * y)
}

/// Divides two arrays; the shapes broadcast.
pub fn div(a: &Array, b: &Array) -> Array {
    zip(a, b, |x, y| x / y)
}

/// Reduces `a` to a shape that stretches to its own, by `join`.
fn reduce<T: Copy>(
    a: &Array,
    shape: &[usize],
    start: T,
    join: impl Fn(T, f64) -> T,
) -> Vec<T> {
    let mut values = vec![start; shape::size(shape)];
    for (at, value) in within(shape, &a.shape).zip(&a.values) {
        values[at] = join(values[at], *value);
    }
    values
}

/// Sums down to a shape that stretches to that of `a`. What is rounded on the
/// way is added at the end (compensated summation), so that a small sum of
/// large terms is as certain as any of its size.
pub fn sum(a: &Array, shape: &[usize]) -> Array {
    let add = |[sum, lost]: [f64; 2], x: f64| {
        let more = sum + x;
        let [large, small] =
            if sum.abs() < x.abs() { [x, sum] } else { [sum, x] };
        [more, lost + (large - more + small)]
    };
    let whole = |[sum, lost]: [f64; 2]| {
        if sum.is_finite() { sum + lost } else { sum }
    };
    let sums = reduce(a, shape, [0.0; 2], add).into_iter().map(whole);
    Array::from_values(shape, sums.collect())
}

/// Computes the larger of two; a NaN is never hidden, as `f64::max` would do.
fn larger(x: f64, y: f64) -> f64 {
    if y > x || y.is_nan() { y } else { x }
}

/// Gives what the largest got to those that are as large, in equal shares.
fn max_share(a: &Array, most: &Array, grads: &Array) -> Array {
    let is_as_large = |x: f64, most| f64::from(x == most || x.is_nan());
    let winners = zip(a, most, is_as_large);
    mul(&winners, &div(grads, &sum(&winners, &most.shape)))
}

/// Computes the error function by its series, of which no term is negative:
/// the next one is the last times `2 x^2 / (2 n + 1)`. From 6 on it is 1 in
/// `f64`.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() >= 6.0 {
        return if x.is_nan() { x } else { x.signum() };
    }
    let mut term = x;
    let mut sum = 0.0;
    for n in 1..200 {
        sum += term;
        term *= 2.0 * x * x / f64::from(2 * n + 1);
    }
    FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// Computes the exponential of each element.
pub fn exp(a: &Array) -> Array {
    a.map(f64::exp)
}

/// Repeats `a` along each axis of size 1 (or missing) until it has `shape`.
pub fn expand(a: &Array, shape: &[usize]) -> Array {
    let values = within(&a.shape, shape).map(|at| a.values[at]).collect();
    Array::from_values(shape, values)
}

/// Multiplies each matrix with its partner:
/// (.., m, k) x (.., k, n) -> (.., m, n), the axes in front equal.
pub fn matmul(a: &Array, b: &Array) -> Array {
    let ([outer @ .., m, k], [.., _, n]) = (&a.shape[..], &b.shape[..]) else {
        panic!("two batches of matrices")
    };
    let (m, k, n) = (*m, *k, *n);
    let mut values = Vec::new();
    for at in 0..shape::size(outer) {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let products = (0..k).map(|l| {
                let (row, column) = ((at * m + i) * k, at * k * n + j);
                a.values[row + l] * b.values[column + l * n]
            });
            values.push(products.sum());
        }
    }
    Array::from_values(&[outer, &[m, n]].concat(), values)
}

/// Puts the axes in another order: axis `i` of the result is `axes[i]` of `a`.
pub fn permute(a: &Array, axes: &[usize]) -> Array {
    let strides = shape::strides(&a.shape);
    let shape: Vec<usize> = axes.iter().map(|&i| a.shape[i]).collect();
    let steps: Vec<isize> = axes.iter().map(|&i| strides[i]).collect();
    let at = shape::offsets(&shape, &steps, 0);
    let values = at.map(|at| a.values[at]).collect();
    Array::from_values(&shape, values)
}

/// Computes softmax along the last axis. It is no exponential of a logarithm:
/// that would be as uncertain as the logarithm is large.
pub fn softmax(a: &Array) -> Array {
    by_rows(a, |x, rest| x.exp() / (1.0 + rest))
}

/// Computes the logarithm of softmax along the last axis.
pub fn log_softmax(a: &Array) -> Array {
    by_rows(a, |x, rest| x - rest.ln_1p())
}

/// Gives each element less the largest of its row, and the sum of exponentials
/// of the others.
fn by_rows(a: &Array, f: impl Fn(f64, f64) -> f64) -> Array {
    let columns = a.shape.last().copied().unwrap_or(1).max(1);
    let mut values = Vec::new();
    for row in a.values.chunks(columns) {
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The largest adds 1, and beside it little others would be lost.
        let first = row.iter().position(|&x| x == most);
        let others = row.iter().enumerate().filter(|(i, _)| Some(*i) != first);
        let rest: f64 = others.map(|(_, x)| (x - most).exp()).sum();
        // Beside an infinite score no share is a number.
        let rest = if most.is_finite() { rest } else { f64::NAN };
        values.extend(row.iter().map(|x| f(x - most, rest)));
    }
    Array::from_values(&a.shape, values)
}

/// Finds for each element of `large` the position in `small` that it meets
/// when the two shapes are aligned at the right: axes that `small` lacks, or
/// has with size 1, do not move the position.
fn within(
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
    (0..shape::size(shape)).map(move |at| {
        let axes = strides.iter().zip(shape);
        axes.map(|(&step, &n)| at / step as usize % n).collect()
    })
}

/// Fills an array, each element from its index; 0 where there is nothing.
fn place(shape: &[usize], of: impl Fn(&[usize]) -> Option<f64>) -> Array {
    let values = indices(shape).map(|at| of(&at).unwrap_or(0.0));
    Array::from_values(shape, values.collect())
}

/// Finds where an element of a part stands in the whole.
fn part(at: &[usize], spans: &[Span]) -> Vec<usize> {
    let from = at.iter().zip(spans);
    from.map(|(i, span)| span.start + i * span.step).collect()
}

/// Replaces the size of a shape along one axis.
fn with_size(shape: &[usize], axis: usize, size: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = size;
    shape
}

/// Finds the shape after a reduction, with the reduced axes as 1.
fn kept(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let size = |axis| if axes.contains(&axis) { 1 } else { shape[axis] };
    (0..shape.len()).map(size).collect()
}

/// Takes the reduced axes out of the shape, unless they are kept.
fn drop_axes(reduced: Array, axes: &[usize], keep: Keep) -> Array {
    if keep == Keep::Yes {
        return reduced;
    }
    let axis = (0..reduced.shape.len()).filter(|axis| !axes.contains(axis));
    let shape: Vec<usize> = axis.map(|axis| reduced.shape[axis]).collect();
    Array::from_values(&shape, reduced.values)
}

/// Computes rows of `n` at mean 0 and variance 1, and for each element what
/// its distance from the mean was divided by.
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

/// Computes an operation, when the judge knows it.
pub fn forward(op: &Op, inputs: &[&Array]) -> Option<Array> {
    Some(match (op, inputs) {
        (Op::Mul, [a, b]) => mul(a, b),
        (Op::Add, [a, b]) => add(a, b),
        (Op::Div, [a, b]) => div(a, b),
        (Op::Scale(number), [a]) => a.map(|x| x * f64::from(*number)),
        (Op::Shift(number), [a]) => a.map(|x| x + f64::from(*number)),
        (Op::DivScalar(number), [a]) => a.map(|x| x / f64::from(*number)),
        (Op::RdivScalar(number), [a]) => a.map(|x| f64::from(*number) / x),
        (Op::Pow(number), [a]) => a.map(|x| x.powf(f64::from(*number))),
        (Op::Exp, [a]) => exp(a),
        (Op::Log, [a]) => a.map(f64::ln),
        (Op::Relu, [a]) => a.map(|x| if x <= 0.0 { 0.0 } else { x }),
        (Op::Tanh, [a]) => a.map(f64::tanh),
        (Op::Sigmoid, [a]) => a.map(|x| 1.0 / (1.0 + (-x).exp())),
        (Op::Gelu, [a]) => a.map(|x| 0.5 * x * (1.0 + erf(x / SQRT_2))),
        (Op::Sin, [a]) => a.map(f64::sin),
        (Op::Cos, [a]) => a.map(f64::cos),
        (Op::Erf, [a]) => a.map(erf),
        (Op::Log1p, [a]) => a.map(f64::ln_1p),
        (Op::PowTensor, [a, b]) => zip(a, b, f64::powf),
        (Op::Maximum, [a, b]) => zip(a, b, larger),
        (Op::Floor, [a]) => a.map(f64::floor),
        (Op::Round, [a]) => a.map(f64::round_ties_even),
        (Op::Sign, [a]) => a.map(|x| f64::from(x > 0.0) - f64::from(x < 0.0)),
        (Op::Sum(axes, keep), [a]) => {
            drop_axes(sum(a, &kept(&a.shape, axes)), axes, *keep)
        }
        (Op::Max(axes, keep), [a]) => {
            let shape = kept(&a.shape, axes);
            let most = reduce(a, &shape, f64::NEG_INFINITY, larger);
            let most = Array::from_values(&shape, most);
            drop_axes(most, axes, *keep)
        }
        (Op::MaxShare(_), [a, most, grads]) => max_share(a, most, grads),
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
            place(&shape, |at| Some(a.at(&part(at, spans))))
        }
        (Op::SliceAssign(spans), [a, b]) => {
            let mut all = (*a).clone();
            for (at, value) in indices(&b.shape).zip(&b.values) {
                let at = all.place(&part(&at, spans));
                all.values[at] = *value;
            }
            all
        }
        (Op::Flip(axes), [a]) => place(&a.shape, |at| {
            let mut from = at.to_vec();
            axes.iter().for_each(|&i| from[i] = a.shape[i] - 1 - at[i]);
            Some(a.at(&from))
        }),
        (Op::Cat(axis), parts) => {
            let mut shape = parts[0].shape.clone();
            shape[*axis] = parts.iter().map(|part| part.shape[*axis]).sum();
            place(&shape, |at| {
                let mut from = at.to_vec();
                for part in parts {
                    match from[*axis].checked_sub(part.shape[*axis]) {
                        None => return Some(part.at(&from)),
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
        (Op::IndexSelect(axis, places), [a]) => {
            place(&with_size(&a.shape, *axis, places.len()), |at| {
                let mut from = at.to_vec();
                from[*axis] = places[at[*axis]];
                Some(a.at(&from))
            })
        }
        (Op::IndexAdd(axis, places, size), [a]) => {
            place(&with_size(&a.shape, *axis, *size), |at| {
                let taken =
                    (0..places.len()).filter(|&i| places[i] == at[*axis]);
                let value = |i| {
                    let mut from = at.to_vec();
                    from[*axis] = i;
                    a.at(&from)
                };
                Some(taken.map(value).sum())
            })
        }
        (Op::Windows(window), [a]) => return windows::windows(a, window),
        (Op::Fold(window, image), [a]) => windows::fold(a, window, image),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
