//! Vector times matrix, for a matrix with contiguous rows: reads each element
//! of the matrix once, in memory order.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::BLOCK;
use super::lines::Submatrix;

/// How many rows of the matrix are added in one pass over the sums.
const ROWS_PER_PASS: usize = 8;
/// How many columns are summed in one pass, so that the sums stay in the L1
/// cache.
const COLUMNS_PER_PASS: usize = 2048;

/// The product of a row with contiguous lines over a section of `k`.
pub(super) struct Row<'a> {
    pub(super) a: Submatrix<'a>,
    pub(super) b: Submatrix<'a>,
    pub(super) out: &'a mut [f32],
}

impl WithSimd for Row<'_> {
    type Output = ();

    /// Adds the products in the same order as [`super::tile`]: within a block,
    /// then block by block.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Row { a, b, out } = self;
        let (a, b) = (a.offset_by(a.lines[0]), b.offset_by(b.lines[0]));
        let mut sums = [0.0; COLUMNS_PER_PASS];
        for left in (0..out.len()).step_by(COLUMNS_PER_PASS) {
            let out = &mut out[left..];
            let wide = out.len().min(COLUMNS_PER_PASS);
            let (out, sums) = (&mut out[..wide], &mut sums[..wide]);
            let b = b.offset_by(left);
            for from in (0..a.inner.len()).step_by(BLOCK) {
                let block = from..a.inner.len().min(from + BLOCK);
                sum_block(simd, a, b, block, sums);
                if from == 0 {
                    out.copy_from_slice(sums)
                } else {
                    let pairs = out.iter_mut().zip(&*sums);
                    pairs.for_each(|(out, sum)| *out += sum);
                }
            }
        }
    }
}

/// Writes the sums over a block of `k` to `sums`.
#[inline(always)]
fn sum_block<S: Simd>(
    simd: S,
    a: Submatrix,
    b: Submatrix,
    block: Range<usize>,
    sums: &mut [f32],
) {
    sums.fill(0.0);
    let (b_chunks, b_rest) =
        b.inner[block.clone()].as_chunks::<ROWS_PER_PASS>();
    let (a_chunks, a_rest) = a.inner[block].as_chunks::<ROWS_PER_PASS>();
    for (offsets, rows) in a_chunks.iter().zip(b_chunks) {
        step(simd, a, offsets, b, rows, sums);
    }
    for (offset, row) in a_rest.iter().zip(b_rest) {
        step(simd, a, &[*offset], b, &[*row], sums);
    }
}

/// Adds the products with `R` rows to the sums, one row after the other.
#[inline(always)]
fn step<S: Simd, const R: usize>(
    simd: S,
    a: Submatrix,
    offsets: &[usize; R],
    b: Submatrix,
    rows: &[usize; R],
    sums: &mut [f32],
) {
    let mut factors = [simd.splat_f32s(0.0); R];
    let mut lines: [&[f32]; R] = [&[]; R];
    for i in 0..R {
        let factor = a.values[a.start.wrapping_add(offsets[i])];
        factors[i] = simd.splat_f32s(factor);
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
