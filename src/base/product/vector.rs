//! A product with a single column: a walk through the other side.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::{LONG, Lines, is_shared};

/// Multiplies each line of `a`, which lies in order, by the only line of `b`.
pub(super) fn vector(a: Lines, b: Lines, out: &mut [f32]) {
    let line = b.from(b.lines[0]);
    let number = |p: &usize| b.values[line.start.wrapping_add(*p)];
    let column: Vec<f32> = b.inner.iter().map(number).collect();
    let piece = match is_shared(out.len() * column.len()) {
        true => out.len().div_ceil(2 * rayon::current_num_threads()),
        false => out.len(),
    };
    let fill = |(i, out): (usize, &mut [f32])| {
        let lines = &a.lines[i * piece..][..out.len()];
        let a = Lines { lines, ..a };
        Arch::new().dispatch(Column { a, column: &column, out })
    };
    match piece == out.len() {
        true => fill((0, out)),
        false => out.par_chunks_mut(piece).enumerate().for_each(fill),
    }
}

/// Lines times a column, on one thread.
struct Column<'a> {
    a: Lines<'a>,
    column: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Column<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Column { a, column, out } = self;
        let first = a.inner[0];
        for (out, &line) in out.iter_mut().zip(a.lines) {
            let at = a.from(line).start.wrapping_add(first);
            let line = &a.values[at..at + column.len()];
            let pairs = line.chunks(LONG).zip(column.chunks(LONG));
            let dots = pairs.map(|(x, y)| f64::from(dot(simd, x, y)));
            *out = dots.sum::<f64>() as f32;
        }
    }
}

/// Computes a product in four registers of sums side by side.
#[inline(always)]
fn dot<S: Simd>(simd: S, x: &[f32], y: &[f32]) -> f32 {
    let ((x, x_rest), (y, y_rest)) = (S::as_simd_f32s(x), S::as_simd_f32s(y));
    let mut sums = [simd.splat_f32s(0.0); 4];
    let (x_fours, x) = x.as_chunks::<4>();
    let (y_fours, y) = y.as_chunks::<4>();
    for (x, y) in x_fours.iter().zip(y_fours) {
        for i in 0..4 {
            sums[i] = simd.mul_add_e_f32s(x[i], y[i], sums[i]);
        }
    }
    for (x, y) in x.iter().zip(y) {
        sums[0] = simd.mul_add_e_f32s(*x, *y, sums[0]);
    }
    // Behind the end there are zeros.
    let x = simd.partial_load_f32s(x_rest);
    sums[1] = simd.mul_add_e_f32s(x, simd.partial_load_f32s(y_rest), sums[1]);
    let [a, b, c, d] = sums;
    let sum = simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d));
    simd.reduce_sum_f32s(sum)
}
