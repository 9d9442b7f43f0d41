//! Matrix times vector: reads each row of the matrix once, in memory order.

use pulp::{Simd, WithSimd};

use super::partition::lines_per_task;
use super::{Lines, MAX_F32_SUM, dispatch};
use crate::engine::threads::{parallel_for, threads_for_products};

/// How many rows are multiplied at the same time, so that each element of the
/// vector is loaded once for all of them.
const LINES_PER_PASS: usize = 4;

/// Multiplies each line of `a`, which must be contiguous, by the only line of
/// `b`.
pub(super) fn vector(a: Lines, b: Lines, out: &mut [f32]) {
    let start = b.start.wrapping_add(b.lines.get(0));
    let element = |p| b.values[start.wrapping_add(b.inner.get(p))];
    let column: Vec<f32> = (0..b.inner.len()).map(element).collect();
    let threads = threads_for_products(out.len() * column.len());
    let lines_per_task = lines_per_task(out.len(), threads);
    let fill = |(i, out): (usize, &mut [f32])| {
        let first = i * lines_per_task;
        dispatch(Column { a, first, column: &column, out })
    };
    parallel_for(threads, out.chunks_mut(lines_per_task).enumerate(), fill);
}

/// The product of the lines from `first` on with a vector, computed on one
/// thread.
struct Column<'a> {
    a: Lines<'a>,
    first: usize,
    column: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Column<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Column { a, first, column, out } = self;
        let start = a.start.wrapping_add(a.inner.get(0));
        let (fours, rest) = out.as_chunks_mut::<LINES_PER_PASS>();
        let first_rest = first + LINES_PER_PASS * fours.len();
        // Loops instead of closures: a closure would not be compiled with the
        // instructions of `S`.
        for (i, out) in fours.iter_mut().enumerate() {
            let mut lines = [column; LINES_PER_PASS];
            for (j, line) in lines.iter_mut().enumerate() {
                let offset = a.lines.get(first + LINES_PER_PASS * i + j);
                let start = start.wrapping_add(offset);
                *line = &a.values[start..start + column.len()];
            }
            *out = dots(simd, lines, column);
        }
        for (i, out) in rest.iter_mut().enumerate() {
            let start = start.wrapping_add(a.lines.get(first_rest + i));
            let line = &a.values[start..start + column.len()];
            [*out] = dots(simd, [line], column);
        }
    }
}

/// Computes the dot product of each line with a vector. The order of additions
/// in a line does not depend on the number of lines.
#[inline(always)]
fn dots<S: Simd, const L: usize>(
    simd: S,
    lines: [&[f32]; L],
    column: &[f32],
) -> [f32; L] {
    // In each section, a register lane adds 32 products in `f32`.
    let long = MAX_F32_SUM.min(2 * 32 * S::F32_LANES);
    let mut totals = [0.0; L];
    for from in (0..column.len()).step_by(long) {
        let section = from..column.len().min(from + long);
        let mut parts = lines;
        for part in &mut parts {
            *part = &part[section.clone()];
        }
        let sums = short_dots(simd, parts, &column[section]);
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += f64::from(sum);
        }
    }
    totals.map(|total| total as f32)
}

/// Computes dot products in `f32`, with two registers of sums per line.
#[inline(always)]
fn short_dots<S: Simd, const L: usize>(
    simd: S,
    lines: [&[f32]; L],
    column: &[f32],
) -> [f32; L] {
    let mut sums = [[simd.splat_f32s(0.0); 2]; L];
    let (c, c_rest) = S::as_simd_f32s(column);
    let (mut x, mut x_rest) = ([c; L], [c_rest; L]);
    for i in 0..L {
        (x[i], x_rest[i]) = S::as_simd_f32s(lines[i]);
    }
    for j in (1..c.len()).step_by(2) {
        for i in 0..L {
            let [a, b] = &mut sums[i];
            *a = simd.mul_add_e_f32s(x[i][j - 1], c[j - 1], *a);
            *b = simd.mul_add_e_f32s(x[i][j], c[j], *b);
        }
    }
    // A partial load fills the missing lanes with zeros.
    let c_rest = simd.partial_load_f32s(c_rest);
    let mut dots = [0.0; L];
    for i in 0..L {
        let [mut a, b] = sums[i];
        if let (Some(x), 1) = (x[i].last(), c.len() % 2) {
            a = simd.mul_add_e_f32s(*x, c[c.len() - 1], a);
        }
        let rest = simd.partial_load_f32s(x_rest[i]);
        let b = simd.mul_add_e_f32s(rest, c_rest, b);
        dots[i] = simd.reduce_sum_f32s(simd.add_f32s(a, b));
    }
    dots
}
