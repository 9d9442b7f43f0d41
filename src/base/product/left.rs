//! The left side of a tile: a number of each of its rows, place by place.

use std::ops::Range;

use super::lines::Listed;

/// Rows of the left side: laid out, (k, height), or as they lie.
#[derive(Clone, Copy)]
pub(super) enum Left<'a> {
    Panel(&'a [f32]),
    Rows(Listed<'a>),
}

/// So many places along `k` are taken at a time. Where a compiler knows how many
/// there are, it asks for no index whether it lies within its row: an AMD EPYC
/// needs 33 instructions for 12 products of registers, and needed 50. A page's
/// engine stays small.
pub(super) const STEPS: usize =
    if cfg!(target_arch = "wasm32") { 1 } else { 32 };

/// A number of each row of a tile, for each place along `k`.
pub(super) trait Numbers<const H: usize>: Copy {
    /// Those of some places, from one on.
    type Some: Copy;
    fn some(&self, p: usize) -> Self::Some;
    fn of(some: Self::Some, q: usize) -> [f32; H];
    fn at(&self, p: usize) -> [f32; H];
    /// Takes those of some places.
    fn part(&self, places: Range<usize>) -> Self;
}

impl<'a, const H: usize> Numbers<H> for &'a [[f32; H]] {
    type Some = &'a [[f32; H]; STEPS];

    #[inline(always)]
    fn some(&self, p: usize) -> Self::Some {
        self[p..].first_chunk().expect("as many")
    }

    #[inline(always)]
    fn of(some: Self::Some, q: usize) -> [f32; H] {
        some[q]
    }

    #[inline(always)]
    fn at(&self, p: usize) -> [f32; H] {
        self[p]
    }

    #[inline(always)]
    fn part(&self, places: Range<usize>) -> Self {
        &self[places]
    }
}

impl<'a, const H: usize> Numbers<H> for [&'a [f32]; H] {
    type Some = [&'a [f32; STEPS]; H];

    #[inline(always)]
    fn some(&self, p: usize) -> Self::Some {
        self.map(|row| row[p..].first_chunk().expect("as many"))
    }

    #[inline(always)]
    fn of(some: Self::Some, q: usize) -> [f32; H] {
        some.map(|row| row[q])
    }

    #[inline(always)]
    fn at(&self, p: usize) -> [f32; H] {
        self.map(|row| row[p])
    }

    #[inline(always)]
    fn part(&self, places: Range<usize>) -> Self {
        self.map(|row| &row[places.clone()])
    }
}
