//! Access to the left operand of a tile: one column of its rows per index
//! along `k`.

use std::ops::Range;

use super::lines::Submatrix;

/// The left operand of a tile: a packed panel, (k, height), or rows read in
/// place.
#[derive(Clone, Copy)]
pub(super) enum Lhs<'a> {
    Panel(&'a [f32]),
    Rows(Submatrix<'a>),
}

/// How many indices along `k` are processed per iteration. Because the count
/// is a constant, the compiler removes the bounds checks; see
/// docs/benchmarks.md#thresholds-in-the-source. A page's engine uses 1 to stay
/// small.
pub(super) const STEPS: usize =
    if cfg!(target_arch = "wasm32") { 1 } else { 32 };

/// The rows of a tile's left operand, accessed by index along `k`. The element
/// of each row at one index is a column.
pub(super) trait LhsPanel<const H: usize>: Copy {
    /// `STEPS` consecutive columns.
    type Chunk: Copy;
    /// Returns the chunk that starts at index `p`.
    fn chunk(&self, p: usize) -> Self::Chunk;
    fn column(chunk: Self::Chunk, q: usize) -> [f32; H];
    fn column_at(&self, p: usize) -> [f32; H];
    /// Restricts the rows to a range of indices.
    fn slice(&self, range: Range<usize>) -> Self;
}

impl<'a, const H: usize> LhsPanel<H> for &'a [[f32; H]] {
    type Chunk = &'a [[f32; H]; STEPS];

    #[inline(always)]
    fn chunk(&self, p: usize) -> Self::Chunk {
        self[p..].first_chunk().expect("the chunk is within the rows")
    }

    #[inline(always)]
    fn column(chunk: Self::Chunk, q: usize) -> [f32; H] {
        chunk[q]
    }

    #[inline(always)]
    fn column_at(&self, p: usize) -> [f32; H] {
        self[p]
    }

    #[inline(always)]
    fn slice(&self, range: Range<usize>) -> Self {
        &self[range]
    }
}

impl<'a, const H: usize> LhsPanel<H> for [&'a [f32]; H] {
    type Chunk = [&'a [f32; STEPS]; H];

    #[inline(always)]
    fn chunk(&self, p: usize) -> Self::Chunk {
        self.map(|row| {
            row[p..].first_chunk().expect("the chunk is within the rows")
        })
    }

    #[inline(always)]
    fn column(chunk: Self::Chunk, q: usize) -> [f32; H] {
        chunk.map(|row| row[q])
    }

    #[inline(always)]
    fn column_at(&self, p: usize) -> [f32; H] {
        self.map(|row| row[p])
    }

    #[inline(always)]
    fn slice(&self, range: Range<usize>) -> Self {
        self.map(|row| &row[range.clone()])
    }
}
