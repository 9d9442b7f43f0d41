//! What a judge cannot know: how far a right `f32` gradient may lie from a
//! slope by difference. "Nudge it" tells why there is such a tolerance, and
//! the tape gives it to every rule.
//!
//! Reading order: [`slopes`] nudges until two nudges agree, `magnitudes` finds
//! the sizes of the numbers that meet in a rule, `allowed` adds both up.

use crate::ops::Op;
use crate::reference::{self, Array};

/// Slopes by difference, and how far the true ones may lie from them.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// For each element the mean slope of its two sides; NaN where nothing
    /// can be known.
    pub values: Array,
    /// Half of what the slopes of the two sides differ by: much at a kink.
    pub bend: Array,
    /// What two nudges differ by, and what `f64` rounds.
    pub noise: Array,
    /// The elements that were nudged: all of them, unless they are many.
    pub nudged: Vec<usize>,
}

impl Slopes {
    /// Says how far the slope of any side may lie from the mean.
    pub fn uncertainty(&self, i: usize) -> f64 {
        self.bend.values[i] + self.noise.values[i]
    }

    /// Finds the slopes of both sides of an element, where it stands on a
    /// kink. A curve bends less than a hundredth of its slope within a nudge;
    /// and a bend that is not well above what `f64` rounds, a tenth of the
    /// least slope that the judge tells from 0 included, is none.
    pub fn kink(&self, i: usize) -> Option<[f64; 2]> {
        let [slope, bend, noise] =
            [&self.values, &self.bend, &self.noise].map(|a| a.values[i]);
        let is_kink = bend > 0.01 * slope.abs() && bend > 1e-6 + 10.0 * noise;
        is_kink.then_some([slope - bend, slope + bend])
    }
}

/// Two nudges that agree as well as this, as a share of the slope, will do: it
/// is a tenth of what a right gradient is allowed anyway, so a better one
/// would change no verdict.
const ENOUGH: f64 = 1e-5;

/// How many elements all nudges of one operand may compute. A larger operand
/// is nudged at some of its elements only, evenly spread. It guards the time
/// that a verdict takes: without it, that grows with the square of the size.
const WORK: usize = 500_000;

/// But never fewer elements than these, however many each nudge computes: a
/// rule that is wrong for one row or column in a few is still met.
const FEWEST: usize = 16;

/// The nudges that are tried, as shares of a size. The first is near the cube
/// root of the precision of `f64`, which is best for a smooth function. The
/// long one is for a change that rounds away beside larger numbers, the short
/// one for a kink or a pole that lies nearer than the first reaches.
const SHARES: [f64; 3] = [1e-5, 1e-3, 1e-8];

/// Two nudges that differ by so many times what they may err by have not seen
/// the same curve. The shorter has seen the slope: far from everything a
/// function may be flat, and a long nudge there is sure of it.
const CLEARLY: f64 = 100.0;

/// So many times the largest number is further than any place at which one
/// number could matter to another: what such a step does not move is
/// constant.
const FAR: f64 = 1e3;

/// Finds the slope of the sum of `weights * f` along each element of one
/// input. A nudge is right for one function and too long or too short for
/// another, so several are tried, each beside its half.
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
    let largest = largest.fold(0.0, |most: f64, x| most.max(x.abs()));
    let count = values.values.len();
    let judged = (WORK / middle.values.len().max(count).max(1)).max(FEWEST);
    // It is odd, so that not all of them stand in one column of a matrix whose
    // width is a power of two.
    let stride = count.div_ceil(judged).max(1) | 1;
    let mut inputs = inputs.to_vec();
    let nudged = (0..count).filter(|i| i % stride == 0 || i + 1 == count);
    let nudged: Vec<usize> = nudged.collect();
    for &i in &nudged {
        let x = inputs[which].values[i];
        // What a long step does not move is no matter of this element.
        let long = FAR * largest.max(1.0);
        let mut at = |x: f64| {
            inputs[which].values[i] = x;
            f(&inputs)
        };
        let ends = [at(x - long), at(x + long)];
        let moves = |j: usize| {
            let stays = |end: &Array| end.values[j] == middle.values[j];
            !ends.iter().all(stays)
        };
        let moving: Vec<usize> =
            (0..middle.values.len()).filter(|&j| moves(j)).collect();
        // Its own size, the size at which exponentials bend, and that of what
        // it may be added to.
        let sizes = [x.abs(), 1.0, largest];
        let nudges = SHARES.into_iter().flat_map(|share| {
            sizes.map(|size| share * size).into_iter().filter(|&n| n > 0.0)
        });
        let (mut least, mut shortest) = (f64::INFINITY, f64::INFINITY);
        for nudge in nudges {
            let mut sides = |nudge: f64| {
                let ends = [&at(x + nudge), &middle, &at(x - nudge)];
                Sides::of(ends, &moving, weights, nudge)
            };
            let (wide, narrow) = (sides(nudge), sides(nudge / 2.0));
            // Beside the largest number such a nudge is rounded away, and
            // what did not move tells nothing.
            let still = wide.slope == 0.0 && narrow.slope == 0.0;
            if still && nudge < f64::EPSILON * largest {
                continue;
            }
            // Beside a large x a short nudge is itself rounded.
            let grain = x.abs() * f64::EPSILON / nudge * narrow.slope.abs();
            let apart = (wide.slope - narrow.slope).abs() + grain;
            let now = apart + narrow.bend + narrow.noise;
            let differ = (narrow.slope - values.values[i]).abs();
            let is_surer = match differ > CLEARLY * (now + least) {
                true => nudge < shortest,
                false => now < least,
            };
            if is_surer {
                (least, shortest) = (now, nudge);
                values.values[i] = narrow.slope;
                bend.values[i] = narrow.bend;
                noise.values[i] = apart + narrow.noise;
                if now <= ENOUGH * narrow.slope.abs() {
                    break;
                }
            }
        }
        inputs[which].values[i] = x;
        // What rounding alone may have made is no slope.
        let size = values.values[i].abs();
        if size <= noise.values[i] {
            values.values[i] = 0.0;
            noise.values[i] += size;
        }
    }
    Slopes { values, bend, noise, nudged }
}

/// What one nudge to both sides shows.
struct Sides {
    slope: f64,
    /// Half of what the slopes of the two sides differ by.
    bend: f64,
    /// What rounding in `f64` may have done to the slope.
    noise: f64,
}

impl Sides {
    /// Compares what the function gives above, at and below the element, at
    /// the outputs that it moves. Differences are taken output by output
    /// before they are added: a small one is not lost beside another place.
    fn of(
        ends: [&Array; 3],
        moving: &[usize],
        weights: &Array,
        nudge: f64,
    ) -> Sides {
        let (mut rise, mut bend, mut noise) = (0.0, 0.0, 0.0);
        for &j in moving {
            let [above, middle, below] = ends.map(|end| end.values[j]);
            let weight = weights.values[j];
            rise += weight * (above - below);
            bend += weight * (above - 2.0 * middle + below);
            noise += weight.abs() * (above.abs() + below.abs());
        }
        let width = 2.0 * nudge;
        let noise = noise * f64::EPSILON / width;
        Sides { slope: rise / width, bend: bend.abs() / width, noise }
    }
}

/// Finds the sizes of the numbers that meet in the rule of an operation, for
/// each element of an operand: what the rule gives where nothing cancels.
/// `f32` rounds them, however small the gradient comes out. `grad_out` holds
/// sizes.
pub(crate) fn magnitudes(
    op: &Op,
    inputs: &[Array],
    which: usize,
    grad_out: &Array,
) -> Array {
    let x = &inputs[which];
    if matches!(op, Op::Softmax | Op::LogSoftmax) {
        return magnitudes_in_a_row(op, x, grad_out);
    }
    if let Op::LayerNorm(epsilon) = op {
        return magnitudes_of_normal(inputs, which, grad_out, *epsilon);
    }
    let sizes = |a: &Array| map(a, |_, x| x.abs());
    let elementwise = inputs.len() == 1 && grad_out.shape == x.shape;
    // One factor may have another sign than the next.
    let at: Vec<Array> = match inputs.len() {
        1 => inputs.to_vec(),
        _ => inputs.iter().map(sizes).collect(),
    };
    let found = slopes(&at, which, grad_out, |at| forward(op, at));
    // An element that was not nudged met no larger numbers than the others.
    let size = |i: usize| found.values.values[i].abs() + found.uncertainty(i);
    let most = found.nudged.iter().fold(0.0, |most: f64, &i| most.max(size(i)));
    map(&found.values, |i, slope| {
        let g = grad_out.values.get(i).copied().unwrap_or(0.0);
        let x = x.values[i];
        let subtracted = match op {
            Op::Exp | Op::Log | Op::Pow(_) | Op::Relu => 0.0,
            Op::Tanh => g,
            Op::Sigmoid => g / (1.0 + (-x).exp()),
            // Any other function may reduce an angle.
            _ if elementwise => g * (1.0 + x.abs()),
            _ => 0.0,
        };
        let size = if slope.is_nan() { most } else { size(i) };
        size + subtracted
    })
}

/// Does so for softmax and its logarithm: sums of a row come and are shared.
fn magnitudes_in_a_row(op: &Op, x: &Array, grad_out: &Array) -> Array {
    let logs = reference::log_softmax(x);
    let shares = map(&logs, |_, log| log.exp() * (1.0 + log.abs()));
    let met = match op {
        Op::LogSoftmax => grad_out.clone(),
        _ => map(grad_out, |i, g| shares.values[i] * g),
    };
    let columns = x.shape.last().copied().unwrap_or(1).max(1);
    let rows = met.values.chunks(columns);
    let totals: Vec<f64> = rows.map(|row| row.iter().sum()).collect();
    map(&shares, |i, share| met.values[i] + share * totals[i / columns])
}

/// Does so for rows at mean 0 and variance 1: what is left of a number beside
/// the mean has the rounding of the larger of them, and each of a row gets
/// something of all.
fn magnitudes_of_normal(
    inputs: &[Array],
    which: usize,
    grad_out: &Array,
    epsilon: f64,
) -> Array {
    let [x, weight] = [&inputs[0], &inputs[1]];
    let n = weight.values.len().max(1);
    let [normal, deviation] = reference::normal_rows(x, n, epsilon);
    let mut met = map(&inputs[which], |_, _| 0.0);
    let rows = x.values.chunks(n).zip(grad_out.values.chunks(n));
    for (row, (x, g)) in rows.enumerate() {
        let most = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let by = deviation.values[row * n];
        let size = |j: usize| normal.values[row * n + j].abs() + most / by;
        let given = |j: usize| (g[j] * weight.values[j]).abs();
        let mean = |f: &dyn Fn(usize) -> f64| {
            (0..x.len()).map(f).sum::<f64>() / n as f64
        };
        let shared = [mean(&given), mean(&|j| given(j) * size(j))];
        for (j, g) in g.iter().enumerate() {
            match which {
                0 => {
                    let sum = given(j) + shared[0] + size(j) * shared[1];
                    met.values[row * n + j] = sum * (1.0 + most / by) / by;
                }
                1 => met.values[j] += g * size(j),
                _ => met.values[j] += g,
            }
        }
    }
    met
}

/// Computes an operation that the judge is known to know.
pub(crate) fn forward(op: &Op, inputs: &[Array]) -> Array {
    let inputs: Vec<&Array> = inputs.iter().collect();
    reference::forward(op, &inputs).expect("the judge knows it")
}

/// Computes how far the gradient of a rule may lie from the slopes: a share of
/// the slope, what `f32` rounds of the numbers that meet, and the uncertainty
/// of the slopes.
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
    let least = f64::from(f32::MIN_POSITIVE) * reach(op, inputs, grad_out);
    map(&slopes.values, |i, slope| {
        let share = crate::gradcheck::TOLERANCE * slope.abs();
        share + rounding * magnitudes.values[i] + slopes.uncertainty(i) + least
    })
}

/// The roundings of one function, in halves of a unit in the last place.
/// OpenCL allows a device 3 units for an exponential and 2.5 for a quotient,
/// which with the sum between them is a sigmoid's 12, and 5 for a hyperbolic
/// tangent; the products around them have the rest. The 16 units of a power
/// are within the share of the slope.
const ROUNDINGS: usize = 16;

/// Computes what `f32` may do to a sum of so many terms, as a share of their
/// sizes: half a unit in the last place for each rounding.
pub fn rounding(terms: usize) -> f64 {
    (ROUNDINGS + terms) as f64 * 2f64.powi(-24)
}

/// Finds the largest number that meets in a rule, or the largest factor by
/// which one of them may divide.
pub(crate) fn reach(op: &Op, inputs: &[Array], grad_out: &Array) -> f64 {
    let divides = matches!(op, Op::Div | Op::Pow(_) | Op::Log);
    let all = inputs.iter().chain([grad_out]).flat_map(|a| &a.values);
    let sizes = all.map(|x| x.abs()).filter(|&x| x > 0.0);
    let factor = |x: f64| if divides { x.max(1.0 / x) } else { x };
    sizes.fold(1.0, |most, x| most.max(factor(x)))
}

/// Makes an array from the indices and the elements of another.
pub fn map(a: &Array, f: impl Fn(usize, f64) -> f64) -> Array {
    let values = a.values.iter().enumerate().map(|(i, &x)| f(i, x));
    Array { shape: a.shape.clone(), values: values.collect() }
}

#[cfg(test)]
mod tests;
