//! The innermost loops: a few rows by a few registers of columns.

use std::ops::Range;

use pulp::Simd;

use super::left::{Numbers, STEPS};
use super::lines::Listed;

/// Where the sums of a tile go: into rows, or to what is there.
pub(super) struct Out<'a, 'r> {
    pub(super) rows: &'a mut [&'r mut [f32]],
    pub(super) column: Range<usize>,
    pub(super) first: bool,
}

// ANCHOR: tile
/// Adds the products of one place along `k` to the sums of a tile, H rows by N
/// registers of columns.
#[inline(always)]
fn step<S: Simd, const H: usize, const N: usize>(
    simd: S,
    a: [f32; H],
    b: &Listed,
    place: usize,
    sums: &mut [[S::f32s; N]; H],
) {
    let at = b.start.wrapping_add(place);
    let (b, _) = S::as_simd_f32s(&b.values[at..at + N * S::F32_LANES]);
    for i in 0..H {
        let a = simd.splat_f32s(a[i]);
        for j in 0..N {
            sums[i][j] = simd.mul_add_e_f32s(a, b[j], sums[i][j]);
        }
    }
}

/// Returns the innermost loops. H rows by N registers of columns are H * N
/// registers of sums, which stay where they are while `k` goes by.
#[inline(always)]
pub(super) fn tile<S: Simd, const H: usize, const N: usize, A: Numbers<H>>(
    simd: S,
    a: A,
    b: &Listed,
    out: &mut Out,
) {
    let mut sums = [[simd.splat_f32s(0.0); N]; H];
    let (all, rest) = b.inner.as_chunks::<STEPS>();
    for (c, places) in all.iter().enumerate() {
        let some = a.some(c * STEPS);
        for (q, place) in places.iter().enumerate() {
            step::<S, H, N>(simd, A::of(some, q), b, *place, &mut sums);
        }
    }
    for (q, place) in rest.iter().enumerate() {
        let a = a.at(all.len() * STEPS + q);
        step::<S, H, N>(simd, a, b, *place, &mut sums);
    }
    // ANCHOR_END: tile
    out.take(simd, sums);
}

impl Out<'_, '_> {
    /// Takes the sums of a tile.
    #[inline(always)]
    fn take<S: Simd, const H: usize, const N: usize>(
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
                    row[j] = match first {
                        true => sums[i][j],
                        false => simd.add_f32s(row[j], sums[i][j]),
                    };
                }
            }
            return;
        }
        // The end of a row fills no register, and the last rows no tile.
        for (row, sums) in rows.iter_mut().zip(sums) {
            let row = row[column.clone()].chunks_mut(S::F32_LANES);
            for (row, sum) in row.zip(sums) {
                let sum = match first {
                    true => sum,
                    false => simd.add_f32s(simd.partial_load_f32s(row), sum),
                };
                simd.partial_store_f32s(row, sum);
            }
        }
    }
}
