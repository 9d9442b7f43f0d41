//! The innermost loops: a tile of a few rows by a few registers of columns.

use std::ops::Range;

use pulp::Simd;

use super::lhs::{LhsPanel, STEPS};
use super::lines::Submatrix;

/// The part of the result to which the sums of a tile are added.
pub(super) struct Out<'a, 'r> {
    pub(super) rows: &'a mut [&'r mut [f32]],
    pub(super) column: Range<usize>,
    /// Whether the sums overwrite the result instead of being added to it.
    pub(super) first: bool,
}

/// Adds the products at one index along `k` to the sums of a tile of H rows by
/// N registers of columns. `offset` locates the row of `b`.
#[inline(always)]
fn step<S: Simd, const H: usize, const N: usize>(
    simd: S,
    a: [f32; H],
    b: &Submatrix,
    offset: usize,
    sums: &mut [[S::f32s; N]; H],
) {
    let start = b.start.wrapping_add(offset);
    let (b, _) = S::as_simd_f32s(&b.values[start..start + N * S::F32_LANES]);
    for i in 0..H {
        let a = simd.splat_f32s(a[i]);
        for j in 0..N {
            sums[i][j] = simd.mul_add_e_f32s(a, b[j], sums[i][j]);
        }
    }
}

/// Multiplies H rows by N registers of columns along a block of `k`. The H * N
/// sums stay in registers for the whole block.
#[inline(always)]
pub(super) fn tile<S: Simd, const H: usize, const N: usize, A: LhsPanel<H>>(
    simd: S,
    a: A,
    b: &Submatrix,
    out: &mut Out,
) {
    let mut sums = [[simd.splat_f32s(0.0); N]; H];
    let (chunks, rest) = b.inner.as_chunks::<STEPS>();
    for (c, offsets) in chunks.iter().enumerate() {
        let chunk = a.chunk(c * STEPS);
        for (q, offset) in offsets.iter().enumerate() {
            step::<S, H, N>(simd, A::column(chunk, q), b, *offset, &mut sums);
        }
    }
    for (q, offset) in rest.iter().enumerate() {
        let a = a.column_at(chunks.len() * STEPS + q);
        step::<S, H, N>(simd, a, b, *offset, &mut sums);
    }
    out.add(simd, sums);
}

impl Out<'_, '_> {
    /// Adds the sums of a tile to the result, or writes them if they are the
    /// first.
    #[inline(always)]
    fn add<S: Simd, const H: usize, const N: usize>(
        &mut self,
        simd: S,
        sums: [[S::f32s; N]; H],
    ) {
        let Out { rows, column, first } = self;
        if column.len() == N * S::F32_LANES
            && let Some(rows) = rows.first_chunk_mut::<H>()
        {
            for i in 0..H {
                let row = &mut rows[i][column.clone()];
                let (row, _) = S::as_mut_simd_f32s(row);
                for j in 0..N {
                    row[j] = if *first {
                        sums[i][j]
                    } else {
                        simd.add_f32s(row[j], sums[i][j])
                    };
                }
            }
            return;
        }
        // Incomplete tiles: the last columns do not fill the registers, or
        // there are fewer than H rows left.
        for (row, sums) in rows.iter_mut().zip(sums) {
            let row = row[column.clone()].chunks_mut(S::F32_LANES);
            for (row, sum) in row.zip(sums) {
                let sum = if *first {
                    sum
                } else {
                    simd.add_f32s(simd.partial_load_f32s(row), sum)
                };
                simd.partial_store_f32s(row, sum);
            }
        }
    }
}
