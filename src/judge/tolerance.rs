//! Derivatives by finite differences with error bounds, and the tolerance for
//! an `f32` gradient that is compared with them. "Nudge it" explains why there
//! is a tolerance; the tape applies it to every rule.
//!
//! Reading order: [`slopes`] tries nudges until two agree, `magnitudes`
//! estimates the intermediate values of a gradient rule, whose rounding
//! matters, and `allowed` adds both up.

use crate::ops::Op;
use crate::reference::{self, Array};

/// Derivatives by finite differences, with error bounds.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// The central difference at each element; NaN if it cannot be estimated.
    pub values: Array,
    /// Half the difference between the slopes of the two sides, which is large
    /// at a kink.
    pub bend: Array,
    /// The error bound: the difference between two nudges plus the rounding
    /// error of `f64`.
    pub noise: Array,
    /// The indices of the elements that were nudged: all of them, unless there
    /// are many.
    pub nudged: Vec<usize>,
}

impl Slopes {
    /// Returns the largest possible distance of a one-sided slope from the
    /// central difference.
    pub fn uncertainty(&self, i: usize) -> f64 {
        self.bend.values[i] + self.noise.values[i]
    }

    /// Returns the slopes of both sides if the element is at a kink. It is one
    /// if the bend exceeds a hundredth of the slope, which a smooth curve does
    /// not do within a nudge, and exceeds the rounding error clearly. The
    /// 1e-6 keeps slopes near 0 from counting as kinks.
    pub fn kink(&self, i: usize) -> Option<[f64; 2]> {
        let [slope, bend, noise] =
            [&self.values, &self.bend, &self.noise].map(|a| a.values[i]);
        let is_kink = bend > 0.01 * slope.abs() && bend > 1e-6 + 10.0 * noise;
        is_kink.then_some([slope - bend, slope + bend])
    }
}

/// The relative error bound at which no further nudges are tried. It is a
/// tenth of [`TOLERANCE`](crate::gradcheck::TOLERANCE), so a smaller error
/// would not change a verdict.
const GOOD_ENOUGH: f64 = 1e-5;

/// How many elements all nudges of one operand may compute. Of a larger
/// operand only some elements are nudged, evenly spread. Without this limit
/// the time would grow with the square of the size.
const MAX_COMPUTED: usize = 500_000;

/// How many elements are nudged at least, even if that exceeds `MAX_COMPUTED`,
/// so that a rule that is wrong in one of a few rows or columns is noticed.
const MIN_NUDGED: usize = 16;

/// The nudges that are tried, relative to a size. The first is near the cube
/// root of the `f64` epsilon, which is best for a smooth function. The long
/// one is for a change that would be rounded away in a sum with larger
/// numbers, the short one for a kink or a pole within reach of the first.
const RELATIVE_NUDGES: [f64; 3] = [1e-5, 1e-3, 1e-8];

/// Two estimates that differ by more than this multiple of their error bounds
/// belong to different parts of the curve. The one with the shorter nudge is
/// then taken: a long nudge may reach a region where the function is flat, and
/// its error bound is small there.
const CLEAR_DIFFERENCE: f64 = 100.0;

/// A step of this multiple of the largest value goes beyond every point at
/// which two values can interact. An output that does not change over such a
/// step is constant.
const FAR_STEP: f64 = 1e3;

/// Estimates the derivative of the sum of `weights * f` with respect to each
/// element of input number `which`. A nudge that suits one function is too
/// long or too short for another, so several are tried, each together with
/// half of it.
pub fn slopes(
    inputs: &[Array],
    which: usize,
    weights: &Array,
    f: impl Fn(&[Array]) -> Array,
) -> Slopes {
    let middle = f(inputs);
    let mut values = inputs[which].clone();
    values.values.fill(f64::NAN);
    let mut noise = values.clone();
    noise.values.fill(f64::INFINITY);
    let mut bend = noise.clone();
    let largest = inputs.iter().chain([&middle]).flat_map(|a| &a.values);
    let largest = largest.filter(|x| x.is_finite());
    let largest = largest.fold(0.0, |max: f64, x| max.max(x.abs()));
    let count = values.values.len();
    let outputs = middle.values.len().max(count).max(1);
    let max_nudged = (MAX_COMPUTED / outputs).max(MIN_NUDGED);
    // An odd stride, so that in a matrix whose width is a power of two the
    // nudged elements are not all in the same column.
    let stride = count.div_ceil(max_nudged).max(1) | 1;
    let mut inputs = inputs.to_vec();
    let nudged = (0..count).filter(|i| i % stride == 0 || i + 1 == count);
    let nudged: Vec<usize> = nudged.collect();
    for &i in &nudged {
        let x = inputs[which].values[i];
        let far = FAR_STEP * largest.max(1.0);
        let mut evaluate = |x: f64| {
            inputs[which].values[i] = x;
            f(&inputs)
        };
        // The outputs that depend on this element.
        let ends = [evaluate(x - far), evaluate(x + far)];
        let changes = |j: usize| {
            let is_same = |end: &Array| end.values[j] == middle.values[j];
            !ends.iter().all(is_same)
        };
        let dependent: Vec<usize> =
            (0..middle.values.len()).filter(|&j| changes(j)).collect();
        // The size of the element, the scale on which exponentials bend, and
        // the size of values to which the element may be added.
        let sizes = [x.abs(), 1.0, largest];
        let nudges = RELATIVE_NUDGES.into_iter().flat_map(|relative| {
            sizes.map(|size| relative * size).into_iter().filter(|&n| n > 0.0)
        });
        let (mut min_error, mut shortest) = (f64::INFINITY, f64::INFINITY);
        for nudge in nudges {
            let mut difference = |nudge: f64| {
                let points =
                    [&evaluate(x + nudge), &middle, &evaluate(x - nudge)];
                Difference::new(points, &dependent, weights, nudge)
            };
            let (wide, narrow) = (difference(nudge), difference(nudge / 2.0));
            // In a sum with the largest number such a nudge is rounded away,
            // so a slope of 0 means nothing.
            let is_zero = wide.slope == 0.0 && narrow.slope == 0.0;
            if is_zero && nudge < f64::EPSILON * largest {
                continue;
            }
            // For a large x, `x + nudge` is itself rounded.
            let grain = x.abs() * f64::EPSILON / nudge * narrow.slope.abs();
            let disagreement = (wide.slope - narrow.slope).abs() + grain;
            let error = disagreement + narrow.bend + narrow.noise;
            let change = (narrow.slope - values.values[i]).abs();
            let is_better =
                match change > CLEAR_DIFFERENCE * (error + min_error) {
                    true => nudge < shortest,
                    false => error < min_error,
                };
            if is_better {
                (min_error, shortest) = (error, nudge);
                values.values[i] = narrow.slope;
                bend.values[i] = narrow.bend;
                noise.values[i] = disagreement + narrow.noise;
                if error <= GOOD_ENOUGH * narrow.slope.abs() {
                    break;
                }
            }
        }
        inputs[which].values[i] = x;
        // A slope that rounding alone can explain is taken as 0.
        let size = values.values[i].abs();
        if size <= noise.values[i] {
            values.values[i] = 0.0;
            noise.values[i] += size;
        }
    }
    Slopes { values, bend, noise, nudged }
}

/// A central difference.
struct Difference {
    slope: f64,
    /// Half the difference between the slopes of the two sides.
    bend: f64,
    /// The rounding error of the slope in `f64`.
    noise: f64,
}

impl Difference {
    /// Computes the central difference from the outputs at `x + nudge`, `x`
    /// and `x - nudge`. Only the outputs that depend on the element count, and
    /// each is subtracted before they are added, so that a small difference is
    /// not lost in a sum of large outputs.
    fn new(
        points: [&Array; 3],
        dependent: &[usize],
        weights: &Array,
        nudge: f64,
    ) -> Difference {
        let (mut rise, mut bend, mut noise) = (0.0, 0.0, 0.0);
        for &j in dependent {
            let [above, middle, below] = points.map(|point| point.values[j]);
            let weight = weights.values[j];
            rise += weight * (above - below);
            bend += weight * (above - 2.0 * middle + below);
            noise += weight.abs() * (above.abs() + below.abs());
        }
        let width = 2.0 * nudge;
        let noise = noise * f64::EPSILON / width;
        Difference { slope: rise / width, bend: bend.abs() / width, noise }
    }
}

/// Estimates the magnitude of the intermediate values in the gradient rule of
/// an operation, for each element of operand number `which`: the gradient that
/// would result without cancellation. `f32` rounds these values, however small
/// the gradient itself is. `grad_out` holds absolute values.
pub(crate) fn magnitudes(
    op: &Op,
    inputs: &[Array],
    which: usize,
    grad_out: &Array,
) -> Array {
    let x = &inputs[which];
    if matches!(op, Op::Softmax | Op::LogSoftmax) {
        return softmax_magnitudes(op, x, grad_out);
    }
    if let Op::LayerNorm(epsilon) = op {
        return layer_norm_magnitudes(inputs, which, grad_out, *epsilon);
    }
    let sizes = |a: &Array| map(a, |_, x| x.abs());
    let elementwise = inputs.len() == 1 && grad_out.shape == x.shape;
    // With several operands, absolute values prevent that terms of different
    // signs cancel.
    let inputs: Vec<Array> = match inputs.len() {
        1 => inputs.to_vec(),
        _ => inputs.iter().map(sizes).collect(),
    };
    let found = slopes(&inputs, which, grad_out, |inputs| forward(op, inputs));
    let size = |i: usize| found.values.values[i].abs() + found.uncertainty(i);
    // For elements that were not nudged.
    let max = found.nudged.iter().fold(0.0, |max: f64, &i| max.max(size(i)));
    map(&found.values, |i, slope| {
        let g = grad_out.values.get(i).copied().unwrap_or(0.0);
        let x = x.values[i];
        let subtracted = match op {
            Op::Exp | Op::Log | Op::Pow(_) | Op::Relu => 0.0,
            Op::Tanh => g,
            Op::Sigmoid => g / (1.0 + (-x).exp()),
            // Any other function may be periodic and reduce its argument,
            // which rounds at the size of the argument.
            _ if elementwise => g * (1.0 + x.abs()),
            _ => 0.0,
        };
        let size = if slope.is_nan() { max } else { size(i) };
        size + subtracted
    })
}

/// Estimates the magnitudes for softmax and its logarithm, whose gradient
/// combines each element with a sum over its row. Probabilities are computed
/// as `exp(log)`, so their relative error grows with the logarithm.
fn softmax_magnitudes(op: &Op, x: &Array, grad_out: &Array) -> Array {
    let logs = reference::log_softmax(x);
    let probabilities = map(&logs, |_, log| log.exp() * (1.0 + log.abs()));
    let terms = match op {
        Op::LogSoftmax => grad_out.clone(),
        _ => map(grad_out, |i, g| probabilities.values[i] * g),
    };
    let columns = x.shape.last().copied().unwrap_or(1).max(1);
    let rows = terms.values.chunks(columns);
    let totals: Vec<f64> = rows.map(|row| row.iter().sum()).collect();
    map(&probabilities, |i, p| terms.values[i] + p * totals[i / columns])
}

/// Estimates the magnitudes for layer normalization. Subtracting the mean
/// leaves the rounding error of the larger operand, and the gradient of each
/// element depends on the whole row.
fn layer_norm_magnitudes(
    inputs: &[Array],
    which: usize,
    grad_out: &Array,
    epsilon: f64,
) -> Array {
    let [x, weight] = [&inputs[0], &inputs[1]];
    let n = weight.values.len().max(1);
    let [normal, deviation] = reference::normal_rows(x, n, epsilon);
    let mut magnitudes = map(&inputs[which], |_, _| 0.0);
    let rows = x.values.chunks(n).zip(grad_out.values.chunks(n));
    for (row, (x, g)) in rows.enumerate() {
        let max = x.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
        let deviation = deviation.values[row * n];
        let scaled_max = max / deviation;
        let size = |j: usize| normal.values[row * n + j].abs() + scaled_max;
        let weighted = |j: usize| (g[j] * weight.values[j]).abs();
        let mean = |f: &dyn Fn(usize) -> f64| {
            (0..x.len()).map(f).sum::<f64>() / n as f64
        };
        let means = [mean(&weighted), mean(&|j| weighted(j) * size(j))];
        for (j, g) in g.iter().enumerate() {
            match which {
                0 => {
                    let sum = weighted(j) + means[0] + size(j) * means[1];
                    magnitudes.values[row * n + j] =
                        sum * (1.0 + scaled_max) / deviation;
                }
                1 => magnitudes.values[j] += g * size(j),
                _ => magnitudes.values[j] += g,
            }
        }
    }
    magnitudes
}

/// Computes an operation that is known to have a reference.
pub(crate) fn forward(op: &Op, inputs: &[Array]) -> Array {
    let inputs: Vec<&Array> = inputs.iter().collect();
    reference::forward(op, &inputs).expect("the judge knows it")
}

/// Computes the tolerance for each element of a gradient: the sum of a
/// fraction of the derivative, the `f32` rounding error of the intermediate
/// values, and the uncertainty of the derivative.
pub(crate) fn allowed(
    op: &Op,
    inputs: &[Array],
    which: usize,
    grad_out: &Array,
    slopes: &Slopes,
) -> Array {
    let sizes = map(grad_out, |_, g| g.abs());
    let magnitudes = magnitudes(op, inputs, which, &sizes);
    let terms = match op {
        Op::Matmul | Op::Softmax | Op::LogSoftmax => {
            grad_out.shape.iter().max().copied()
        }
        Op::LayerNorm(_) | Op::Contract(..) | Op::Conv2d(..) => {
            Some(grad_out.values.len())
        }
        _ => grad_out.values.len().checked_div(inputs[which].values.len()),
    };
    let rounding = rounding(terms.unwrap_or(1));
    let underflow = f64::from(f32::MIN_POSITIVE) * reach(op, inputs, grad_out);
    map(&slopes.values, |i, slope| {
        let relative = crate::gradcheck::TOLERANCE * slope.abs();
        let rounded = rounding * magnitudes.values[i];
        relative + rounded + slopes.uncertainty(i) + underflow
    })
}

/// The rounding error allowed for one function, in halves of a unit in the
/// last place (ulp). OpenCL allows a device 3 ulp for `exp` and 2.5 ulp for a
/// division; with the addition between them, a sigmoid takes 12 halves. It
/// allows 5 ulp for `tanh`. The remainder is for the multiplications around
/// these functions. The 16 ulp of `pow` are covered by the tolerance relative
/// to the derivative.
const ROUNDINGS: usize = 16;

/// Returns the rounding error of a sum of `terms` terms in `f32`, relative to
/// their magnitudes: half a unit in the last place for each rounding.
pub fn rounding(terms: usize) -> f64 {
    (ROUNDINGS + terms) as f64 * 2f64.powi(-24)
}

/// Returns the largest factor by which a rule may scale a value that
/// underflowed: the largest operand or, for operations that divide, the
/// reciprocal of the smallest.
pub(crate) fn reach(op: &Op, inputs: &[Array], grad_out: &Array) -> f64 {
    let divides = matches!(op, Op::Div | Op::Pow(_) | Op::Log);
    let all = inputs.iter().chain([grad_out]).flat_map(|a| &a.values);
    let sizes = all.map(|x| x.abs()).filter(|&x| x > 0.0);
    let factor = |x: f64| if divides { x.max(1.0 / x) } else { x };
    sizes.fold(1.0, |max, x| max.max(factor(x)))
}

/// Applies `f` to the index and the value of each element.
pub fn map(a: &Array, f: impl Fn(usize, f64) -> f64) -> Array {
    let values = a.values.iter().enumerate().map(|(i, &x)| f(i, x));
    Array { shape: a.shape.clone(), values: values.collect() }
}

#[cfg(test)]
mod tests;
