//! A single row by a matrix whose rows lie in order: a walk through it, which
//! reads each number once and as it lies.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::BLOCK;
use super::lines::Listed;

/// So many rows of the matrix are walked side by side.
const SIDE_BY_SIDE: usize = 8;
/// And so many columns, whose sums stay in the nearest cache.
const WIDE: usize = 2048;

/// A row along a part of `k`, by lines that are neighbors.
pub(super) struct Row<'a> {
    pub(super) a: Listed<'a>,
    pub(super) b: Listed<'a>,
    pub(super) out: &'a mut [f32],
}

impl WithSimd for Row<'_> {
    type Output = ();

    /// Adds up the products of a block, and blocks to each other, in the order
    /// of [`super::tile`].
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Row { a, b, out } = self;
        let (a, b) = (a.from(a.lines[0]), b.from(b.lines[0]));
        let mut sums = [0.0; WIDE];
        for left in (0..out.len()).step_by(WIDE) {
            let out = &mut out[left..];
            let wide = out.len().min(WIDE);
            let (out, sums) = (&mut out[..wide], &mut sums[..wide]);
            let b = b.from(left);
            for from in (0..a.inner.len()).step_by(BLOCK) {
                let block = from..a.inner.len().min(from + BLOCK);
                walk(simd, a, b, block, sums);
                match from == 0 {
                    true => out.copy_from_slice(sums),
                    false => {
                        let pairs = out.iter_mut().zip(&*sums);
                        pairs.for_each(|(out, sum)| *out += sum);
                    }
                }
            }
        }
    }
}

/// Writes the sums along a block.
#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    a: Listed,
    b: Listed,
    block: Range<usize>,
    sums: &mut [f32],
) {
    sums.fill(0.0);
    let (many, few) = b.inner[block.clone()].as_chunks::<SIDE_BY_SIDE>();
    let (many_a, few_a) = a.inner[block].as_chunks::<SIDE_BY_SIDE>();
    for (places, rows) in many_a.iter().zip(many) {
        step(simd, a, places, b, rows, sums);
    }
    for (place, row) in few_a.iter().zip(few) {
        step(simd, a, &[*place], b, &[*row], sums);
    }
}

/// Adds the products with some rows, one row after the other.
#[inline(always)]
fn step<S: Simd, const R: usize>(
    simd: S,
    a: Listed,
    places: &[usize; R],
    b: Listed,
    rows: &[usize; R],
    sums: &mut [f32],
) {
    let mut factors = [simd.splat_f32s(0.0); R];
    let mut lines: [&[f32]; R] = [&[]; R];
    for i in 0..R {
        let number = a.values[a.start.wrapping_add(places[i])];
        factors[i] = simd.splat_f32s(number);
        lines[i] = &b.values[b.start.wrapping_add(rows[i])..][..sums.len()];
    }
    let (whole, rest) = S::as_mut_simd_f32s(sums);
    let end = whole.len() * S::F32_LANES;
    let mut registers: [&[S::f32s]; R] = [&[]; R];
    for i in 0..R {
        registers[i] = &S::as_simd_f32s(&lines[i][..end]).0[..whole.len()];
    }
    for (j, sum) in whole.iter_mut().enumerate() {
        for i in 0..R {
            *sum = simd.mul_add_e_f32s(factors[i], registers[i][j], *sum);
        }
    }
    let mut sum = simd.partial_load_f32s(rest);
    for i in 0..R {
        let row = simd.partial_load_f32s(&lines[i][end..]);
        sum = simd.mul_add_e_f32s(factors[i], row, sum);
    }
    simd.partial_store_f32s(rest, sum);
}
