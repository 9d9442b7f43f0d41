//! Layer normalization: each row is normalized to mean 0 and variance 1.
//!
//! The simple algorithm, for each row:
//!
//! ```text
//! rstd   = 1 / sqrt(mean((x - mean(x))^2) + epsilon)
//! out[i] = (x[i] - mean(x)) * rstd * weight[i] + bias[i]
//! ```
//!
//! Two optimizations are applied to it:
//!
//! 1. **Vectorized sums.** [`total`] keeps a partial sum per register lane.
//! 2. **Threads.** They share the rows.

use std::array::from_fn;
use std::hint::black_box;

use pulp::{Arch, Simd, WithSimd};

use super::host::{Host, blank};
use super::parallel::{fill, items_per_chunk};
use super::types::CpuFloat;
use super::{Array, Shared, compact, dense};
use crate::engine::threads::{parallel_for, threads_for};
use crate::error::Result;

/// Cost per element: the number of passes over a row.
const COST: usize = 4;

/// Computes the layer norm of (n, columns) with a weight and a bias of
/// (columns).
pub(super) fn rows<T: CpuFloat>(
    [a, weight, bias]: [&Array; 3],
    epsilon: f64,
) -> Result<Shared> {
    let (a, weight, bias) = (compact(a)?, compact(weight)?, compact(bias)?);
    let (x, columns) = (dense::<T>(&a), weight.len());
    let [weight, bias] = [&weight, &bias].map(|a| dense::<T>(a));
    fill(a.len(), columns, COST, &|from, out| {
        let x = &x[from..];
        Arch::new().dispatch(Rows { x, weight, bias, epsilon, out });
    })
}

/// Computes the gradient of the rows, and the terms of the weight's gradient
/// from each row. Both have shape (n, columns); the caller sums the terms over
/// the rows.
pub(super) fn grads<T: CpuFloat>(
    [a, grad_out, weight]: [&Array; 3],
    epsilon: f64,
) -> Result<[Shared; 2]> {
    let arrays = [compact(a)?, compact(grad_out)?, compact(weight)?];
    let [x, grad_out, weight] = arrays.each_ref().map(|a| dense::<T>(a));
    let (n, columns) = (x.len(), weight.len());
    if n == 0 {
        return Ok([(); 2].map(|()| Host::<T>::shared(vec![])));
    }
    let [mut rows, mut weights] = [blank(n)?, blank(n)?];
    let threads = threads_for(COST * n);
    let chunk = items_per_chunk(n / columns, threads) * columns;
    let outs = rows.chunks_mut(chunk).zip(weights.chunks_mut(chunk));
    let work = |(i, (rows, weights)): (usize, (&mut [T], &mut [T]))| {
        let range = i * chunk..i * chunk + rows.len();
        let (x, grad_out) = (&x[range.clone()], &grad_out[range]);
        let outs = [rows, weights];
        Arch::new().dispatch(Grads { x, grad_out, weight, epsilon, outs });
    };
    parallel_for(threads, outs.enumerate(), work);
    Ok([rows, weights].map(Host::shared))
}

/// Returns the mean of a row and the reciprocal of its standard deviation.
#[inline(always)]
fn mean_and_rstd<T: CpuFloat>(x: &[T], epsilon: f64) -> (T, T) {
    let inverse_len = T::nearest(1.0 / x.len() as f64);
    let mean = total([x], |[x]| x) * inverse_len;
    let square = |[x]: [T; 1]| (x - mean) * (x - mean);
    let variance = total([x], square) * inverse_len;
    (mean, T::nearest(1.0) / (variance + T::nearest(epsilon)).sqrt())
}

struct Rows<'a, T> {
    x: &'a [T],
    weight: &'a [T],
    bias: &'a [T],
    epsilon: f64,
    out: &'a mut [T],
}

impl<T: CpuFloat> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Rows { x, weight, bias, epsilon, out } = self;
        let columns = weight.len();
        for (x, out) in x.chunks(columns).zip(out.chunks_mut(columns)) {
            let (mean, rstd) = mean_and_rstd(x, epsilon);
            let operands = x.iter().zip(weight.iter().zip(bias));
            for (out, (x, (weight, bias))) in out.iter_mut().zip(operands) {
                *out = (*x - mean) * rstd * *weight + *bias;
            }
        }
    }
}

/// The backward pass of some rows. With `y = (x - mean) * rstd` and `dy` for
/// the upstream gradient times the weight:
///
/// ```text
/// dx = rstd * (dy - mean(dy) - y * mean(dy * y))
/// ```
struct Grads<'a, T> {
    x: &'a [T],
    grad_out: &'a [T],
    weight: &'a [T],
    epsilon: f64,
    outs: [&'a mut [T]; 2],
}

impl<T: CpuFloat> WithSimd for Grads<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Grads { x, grad_out, weight, epsilon, outs } = self;
        let [rows, weights] = outs;
        let columns = weight.len();
        let inverse_len = T::nearest(1.0 / columns as f64);
        let operands = x.chunks(columns).zip(grad_out.chunks(columns));
        let outs = rows.chunks_mut(columns).zip(weights.chunks_mut(columns));
        for ((out, weight_terms), (x, grad_out)) in outs.zip(operands) {
            let (mean, rstd) = mean_and_rstd(x, epsilon);
            let normalized = |x: T| (x - mean) * rstd;
            let mean_dy =
                total([grad_out, weight], |[g, w]| g * w) * inverse_len;
            let dy_y = |[x, g, w]: [T; 3]| g * w * normalized(x);
            let mean_dy_y = total([x, grad_out, weight], dy_y) * inverse_len;
            let operands = x.iter().zip(grad_out).zip(weight);
            let outs = out.iter_mut().zip(weight_terms);
            for ((out, weight_term), ((x, g), w)) in outs.zip(operands) {
                let y = normalized(*x);
                *weight_term = *g * y;
                *out = (*g * *w - mean_dy - y * mean_dy_y) * rstd;
            }
        }
    }
}

/// The number of `f32` lanes of the widest registers (AVX-512).
const LANES: usize = 16;

/// Sums `term(rows[0][i], rows[1][i], ..)` over all `i`. The rows have the same
/// length. The sum is written so that the compiler vectorizes it: chunks of a
/// constant length, with one partial sum per lane that stays in a register. The
/// [`LANES`] partial sums are added pairwise.
#[inline(always)]
pub(super) fn total<T: CpuFloat, const N: usize>(
    rows: [&[T]; N],
    term: impl Fn([T; N]) -> T,
) -> T {
    let n = rows[0].len();
    let mut sums = [T::zero(); LANES];
    for chunk in 0..n / LANES {
        let chunk = rows.map(|row| &row[chunk * LANES..][..LANES]);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + term(chunk.map(|row| row[i]));
        }
    }
    if !n.is_multiple_of(LANES) {
        // Indexing `sums` with a variable would move it to memory, so the
        // remainder is added from a separate array.
        let rest = rows.map(|row| &row[n / LANES * LANES..]);
        let mut last = [T::zero(); LANES];
        for (i, last) in last[..n % LANES].iter_mut().enumerate() {
            *last = term(rest.map(|row| row[i]));
        }
        sums = from_fn(|i| sums[i] + last[i]);
    }
    // Without the barrier, the compiler vectorizes the loop above for the
    // pairwise additions below, with two lanes instead of all.
    let all = black_box(sums);
    let all: [T; 8] = from_fn(|i| all[i] + all[i + 8]);
    let all: [T; 4] = from_fn(|i| all[i] + all[i + 4]);
    (all[0] + all[2]) + (all[1] + all[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The difference between the mean square and the squared mean would lose
    /// all digits here.
    #[test]
    fn the_variance_does_not_cancel() {
        let x = [0.0, 1.0, 2.0, 3.0].map(|x: f32| x + (1 << 22) as f32);
        let (mean, rstd) = mean_and_rstd(&x, 0.0);
        assert_eq!(mean, 1.5 + (1 << 22) as f32);
        assert_eq!(rstd, 1.0 / 1.25_f32.sqrt());
    }
}
