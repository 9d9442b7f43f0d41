//! A product with a single column: a walk through the other side.

use pulp::{Simd, WithSimd};

use super::super::share::share;
use super::cut::{piece, threads};
use super::{LONG, Lines, dispatch};

/// So many lines are walked side by side: a number of the column is read once
/// for all of them.
const SIDE_BY_SIDE: usize = 4;

/// Multiplies each line of `a`, which lies in order, by the only line of `b`.
pub(super) fn vector(a: Lines, b: Lines, out: &mut [f32]) {
    let start = b.start.wrapping_add(b.lines.at(0));
    let number = |p| b.values[start.wrapping_add(b.inner.at(p))];
    let column: Vec<f32> = (0..b.inner.len()).map(number).collect();
    let piece = piece(out.len(), threads(out.len() * column.len()));
    let fill = |(i, out): (usize, &mut [f32])| {
        let first = i * piece;
        dispatch(Column { a, first, column: &column, out })
    };
    match piece == out.len() {
        true => fill((0, out)),
        false => share(out.chunks_mut(piece).enumerate(), fill),
    }
}

/// Lines from one on times a column, on one thread.
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
        let start = a.start.wrapping_add(a.inner.at(0));
        let (fours, rest) = out.as_chunks_mut::<SIDE_BY_SIDE>();
        let behind = first + SIDE_BY_SIDE * fours.len();
        // A closure would not be compiled for these instructions.
        for (i, out) in fours.iter_mut().enumerate() {
            let mut lines = [column; SIDE_BY_SIDE];
            for (j, line) in lines.iter_mut().enumerate() {
                let place = a.lines.at(first + SIDE_BY_SIDE * i + j);
                let at = start.wrapping_add(place);
                *line = &a.values[at..at + column.len()];
            }
            *out = dots(simd, lines, column);
        }
        for (i, out) in rest.iter_mut().enumerate() {
            let at = start.wrapping_add(a.lines.at(behind + i));
            let line = &a.values[at..at + column.len()];
            [*out] = dots(simd, [line], column);
        }
    }
}

/// Multiplies each line by a column. The sums of a line do not depend on how
/// many there are.
#[inline(always)]
fn dots<S: Simd, const L: usize>(
    simd: S,
    lines: [&[f32]; L],
    column: &[f32],
) -> [f32; L] {
    // Each sum is one of 32 products.
    let long = LONG.min(2 * 32 * S::F32_LANES);
    let mut totals = [0.0; L];
    for from in (0..column.len()).step_by(long) {
        let some = from..column.len().min(from + long);
        let mut parts = lines;
        for part in &mut parts {
            *part = &part[some.clone()];
        }
        let sums = short_dots(simd, parts, &column[some]);
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += f64::from(sum);
        }
    }
    totals.map(|total| total as f32)
}

/// Does so in two registers of sums for each line.
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
    for at in (1..c.len()).step_by(2) {
        for i in 0..L {
            let [a, b] = &mut sums[i];
            *a = simd.mul_add_e_f32s(x[i][at - 1], c[at - 1], *a);
            *b = simd.mul_add_e_f32s(x[i][at], c[at], *b);
        }
    }
    // Behind the end there are zeros.
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
