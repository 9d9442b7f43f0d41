//! The gradient of `max`: each upstream gradient is split equally among the
//! elements that equal the maximum.
//!
//! The simple algorithm, for each row along the reduced axes:
//!
//! ```text
//! count  = number of elements with x == max
//! out[i] = grad / count if x[i] == max, else 0
//! ```
//!
//! The loops differ only in the order of elements, so that memory is read in
//! order: [`Rows::row`] if a row is contiguous, [`Rows::tiles`] if short
//! contiguous runs of adjacent rows follow one another, as pooling windows do,
//! and [`Rows::neighbors`] otherwise.

use std::hint::select_unpredictable;

use super::parallel::fill;
use super::strided::{StridedRuns, run};
use super::types::CpuFloat;
use super::{Array, Host, Shared, View, compact, dense, storage_elements};
use crate::error::Result;
use crate::part3_unified::truth;
use crate::shape::size;

/// Rows that are processed together.
const ROWS: usize = 64;
/// Minimum elements of a chunk of the parallel loop.
const MIN_BLOCK: usize = 4096;
/// Cost per element: one read to count the maxima, one to write the result.
const COST: usize = 2;
/// Minimum length of a contiguous run that is processed by itself.
const MIN_RUN: usize = 8;

/// Computes [`super::Backend::max_backward`]. The result is split into blocks
/// at the leading axes, so that each block has whole rows.
pub(super) fn max_backward<T: CpuFloat>(
    a: &Array,
    max: &Array,
    grads: &Array,
    axes: &[usize],
) -> Result<Shared> {
    if a.is_empty() {
        return Ok(Host::<T>::shared(vec![]));
    }
    let front = leading_axes(a.shape(), axes);
    let block = size(&a.shape()[front..]);
    let (outer, inner) = a.view().split_at(front);
    let axes: Vec<usize> = axes.iter().map(|axis| axis - front).collect();
    let block_rows = Rows::new(storage_elements::<T>(a), &inner, &axes)?;
    let (max, grads) = (compact(max)?, compact(grads)?);
    let (max, grads) = (dense(&max), dense(&grads));
    let outer = StridedRuns::new([&outer]);
    fill(a.len(), block, COST, &|from, out| {
        let rows = block_rows.count;
        let (max, grads) =
            (&max[from / block * rows..], &grads[from / block * rows..]);
        let pairs = max.chunks(rows).zip(grads.chunks(rows));
        let blocks = out.chunks_mut(block).zip(outer.offsets(from / block));
        for ((out, start), (max, grads)) in blocks.zip(pairs) {
            block_rows.split(start, max, grads, out);
        }
    })
}

/// Returns how many leading axes enumerate the blocks. They come before all
/// reduced axes, and a block is the smallest with at least [`MIN_BLOCK`]
/// elements.
fn leading_axes(shape: &[usize], axes: &[usize]) -> usize {
    let first = axes.iter().min().copied().unwrap_or_default();
    let is_large = |front: &usize| size(&shape[*front..]) >= MIN_BLOCK;
    (1..=first).rev().find(is_large).unwrap_or(0)
}

/// Returns whether an element counts as the maximum. NaN equals NaN here: the
/// maximum of a row with a NaN is NaN.
fn is_max<T: CpuFloat>(x: T, max: T) -> bool {
    x == max || x.is_nan()
}

/// The rows of a block. Offsets and steps are pairs: of the operand and of the
/// result.
struct Rows<'a, T> {
    all: &'a [T],
    count: usize,
    /// The offsets of the rows.
    rows: StridedRuns<2>,
    /// The offsets of a row's runs, relative to the row.
    runs: Vec<[usize; 2]>,
    /// The length of a run, and its steps.
    length: usize,
    steps: [isize; 2],
}

impl<'a, T: CpuFloat> Rows<'a, T> {
    fn new(all: &'a [T], a: &View, axes: &[usize]) -> Result<Rows<'a, T>> {
        let kept = (0..a.shape().len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let kept = order.len() - axes.len();
        let out = View::dense(a.shape()).permute(&order)?;
        let ((a, a_row), (out, out_row)) =
            (a.permute(&order)?.split_at(kept), out.split_at(kept));
        let row = StridedRuns::new([&a_row, &out_row]);
        let (length, steps) = (row.length, row.steps);
        let runs = row.run_starts(0).take(a_row.len() / length).collect();
        let rows = StridedRuns::new([&a, &out]);
        Ok(Rows { all, count: a.len(), rows, runs, length, steps })
    }

    /// Writes the gradients of a block whose elements begin at offset `start`.
    fn split(&self, start: usize, max: &[T], grads: &[T], out: &mut [T]) {
        let is_contiguous = self.steps == [1, 1] && self.length >= MIN_RUN;
        let group = if is_contiguous { 1 } else { ROWS };
        let runs = max.chunks(self.rows.length);
        let runs = runs.zip(grads.chunks(self.rows.length));
        for ((max, grads), row) in runs.zip(self.rows.run_starts(0)) {
            let groups = max.chunks(group).zip(grads.chunks(group));
            for (i, (max, grads)) in groups.enumerate() {
                let distance =
                    self.rows.steps.map(|step| step * (i * group) as isize);
                let from =
                    start.wrapping_add(row[0]).wrapping_add_signed(distance[0]);
                let to = row[1].wrapping_add_signed(distance[1]);
                let first = [from, to];
                match (self.is_tiled(), self.length) {
                    _ if is_contiguous => {
                        self.row(first, max[0], grads[0], out)
                    }
                    (true, 2) => self.tiles::<2>(first, max, grads, out),
                    (true, 3) => self.tiles::<3>(first, max, grads, out),
                    (true, 4) => self.tiles::<4>(first, max, grads, out),
                    _ => self.neighbors(first, max, grads, out),
                }
            }
        }
    }

    /// Returns the offsets of the runs of the row that begins at `first`.
    fn runs(&self, first: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        self.runs.iter().map(move |run| {
            [first[0].wrapping_add(run[0]), first[1].wrapping_add(run[1])]
        })
    }

    /// Splits the gradient of one row, run by run.
    fn row(&self, first: [usize; 2], max: T, grad: T, out: &mut [T]) {
        let run = |from: usize| &self.all[from..][..self.length];
        let one_if_max = |x: &T| u32::from(is_max(*x, max));
        let count: u32 = self
            .runs(first)
            .flat_map(|[from, _]| run(from).iter().map(one_if_max))
            .sum();
        let share = grad / T::nearest(count.into());
        for [from, to] in self.runs(first) {
            let pairs = out[to..].iter_mut().zip(run(from));
            pairs.for_each(|(out, x)| {
                let is_max = is_max(*x, max);
                *out = select_unpredictable(is_max, share, T::zero())
            });
        }
    }

    /// Returns whether the runs of consecutive rows follow one another without
    /// a gap, as the rows of pooling windows that tile an image do.
    fn is_tiled(&self) -> bool {
        self.steps == [1, 1] && self.rows.steps == [self.length as isize; 2]
    }

    /// Splits the gradients of tiled rows. The length of a run is a constant,
    /// so that the loops over a run are unrolled.
    fn tiles<const N: usize>(
        &self,
        first: [usize; 2],
        max: &[T],
        grads: &[T],
        out: &mut [T],
    ) {
        let runs = |from: usize| self.all[from..].as_chunks::<N>().0;
        // First the number of maxima of each row, then the split gradient.
        let shares = &mut [T::zero(); ROWS][..max.len()];
        for [from, _] in self.runs(first) {
            let pairs = runs(from).iter().zip(max);
            for (count, (run, max)) in shares.iter_mut().zip(pairs) {
                let ones = run.map(|x| truth(is_max(x, *max)));
                *count = ones.iter().fold(*count, |sum, x: &T| sum + *x);
            }
        }
        let pairs = shares.iter_mut().zip(grads);
        pairs.for_each(|(share, grad)| *share = *grad / *share);
        for [from, to] in self.runs(first) {
            let outs = out[to..].as_chunks_mut::<N>().0.iter_mut();
            let pairs = runs(from).iter().zip(max).zip(&*shares);
            for (out, ((run, max), share)) in outs.zip(pairs) {
                *out = run.map(|x| {
                    let is_max = is_max(x, *max);
                    select_unpredictable(is_max, *share, T::zero())
                });
            }
        }
    }

    /// Splits the gradients of adjacent rows. The inner loop is over the rows,
    /// one element of each.
    fn neighbors(
        &self,
        first: [usize; 2],
        max: &[T],
        grads: &[T],
        out: &mut [T],
    ) {
        let [step, out_step] = self.rows.steps;
        let offsets = |[from, to]: [usize; 2]| {
            (0..self.length as isize).map(move |i| {
                [
                    from.wrapping_add_signed(i * self.steps[0]),
                    to.wrapping_add_signed(i * self.steps[1]),
                ]
            })
        };
        let shares = &mut [T::zero(); ROWS][..max.len()];
        for [from, _] in self.runs(first).flat_map(offsets) {
            let pairs = run(self.all, from, max.len(), step).zip(max);
            for (count, (x, max)) in shares.iter_mut().zip(pairs) {
                *count = *count + truth(is_max(x, *max));
            }
        }
        let pairs = shares.iter_mut().zip(grads);
        pairs.for_each(|(share, grad)| *share = *grad / *share);
        for [from, to] in self.runs(first).flat_map(offsets) {
            let pairs = run(self.all, from, max.len(), step).zip(max);
            let outs = out[to..].iter_mut().step_by(out_step as usize);
            for (out, ((x, max), share)) in outs.zip(pairs.zip(&*shares)) {
                let is_max = is_max(x, *max);
                *out = select_unpredictable(is_max, *share, T::zero());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_complete_and_enough_rows() {
        // A row of 64 x 64 is a block; rows of 64 x 63 form one block.
        assert_eq!(leading_axes(&[3, 64, 64], &[1, 2]), 1);
        assert_eq!(leading_axes(&[3, 64, 63], &[2, 1]), 0);
        assert_eq!(leading_axes(&[2, 3, 64, 64], &[3]), 2);
        assert_eq!(leading_axes(&[2, 3, 4096], &[2]), 2);
        assert_eq!(leading_axes(&[2, 3, 4096], &[0]), 0);
        assert_eq!(leading_axes(&[2, 3, 4096], &[2, 0]), 0);
        assert_eq!(leading_axes(&[2, 3], &[]), 0);
    }
}
