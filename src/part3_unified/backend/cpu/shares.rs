//! The gradient of a largest element, shared by those that are as large.

use std::hint::select_unpredictable;

use super::super::truth;
use super::real::Number;
use super::walk::{Walk, fill, run};
use super::{Array, Host, Shared, View, compact, dense, numbers};
use crate::error::Result;
use crate::shape::size;

/// So many rows are walked side by side.
const ROWS: usize = 64;
/// A thread gets at least so many elements, if there are as many.
const BLOCK: usize = 4096;
/// An element is looked at to be counted, and once more to get its share.
const TWICE: usize = 2;
/// Runs that are shorter are walked beside their neighbors.
const RUN: usize = 8;

/// Computes [`super::Backend::max_share`]. A block of the result is all that
/// some axes in front leave, so it has whole rows.
pub(super) fn max_share<T: Number>(
    a: &Array,
    most: &Array,
    grads: &Array,
    axes: &[usize],
) -> Result<Shared> {
    if a.is_empty() {
        return Ok(Host::<T>::shared(vec![]));
    }
    let front = in_front(a.shape(), axes);
    let block = size(&a.shape()[front..]);
    let (outer, inner) = a.view().halves(front);
    let axes: Vec<usize> = axes.iter().map(|axis| axis - front).collect();
    let block_rows = Rows::new(numbers::<T>(a), &inner, &axes)?;
    let (most, grads) = (compact(most)?, compact(grads)?);
    let (most, grads) = (dense(&most), dense(&grads));
    let outer = Walk::new([&outer]);
    fill(a.len(), block, TWICE, &|from, out| {
        let rows = block_rows.count;
        let (most, grads) =
            (&most[from / block * rows..], &grads[from / block * rows..]);
        let pairs = most.chunks(rows).zip(grads.chunks(rows));
        let blocks = out.chunks_mut(block).zip(outer.places(from / block));
        for ((out, at), (most, grads)) in blocks.zip(pairs) {
            block_rows.share(at, most, grads, out);
        }
    })
}

/// Counts the axes in front of a block: all rows that begin in one are whole,
/// and it is as small as a thread's work may be.
fn in_front(shape: &[usize], axes: &[usize]) -> usize {
    let first = axes.iter().min().copied().unwrap_or_default();
    let large = |front: &usize| size(&shape[*front..]) >= BLOCK;
    (1..=first).rev().find(large).unwrap_or(0)
}

fn is_as_large<T: Number>(x: T, most: T) -> bool {
    x == most || x.is_nan()
}

/// The rows of a block, each by two walks at once: of the elements, and of
/// the result.
struct Rows<'a, T> {
    all: &'a [T],
    count: usize,
    /// Where the rows begin.
    rows: Walk<2>,
    /// Where a row's runs begin, as seen from its beginning.
    runs: Vec<[usize; 2]>,
    /// How long they are, and their steps.
    length: usize,
    steps: [isize; 2],
}

impl<'a, T: Number> Rows<'a, T> {
    fn new(all: &'a [T], a: &View, axes: &[usize]) -> Result<Rows<'a, T>> {
        let kept = (0..a.shape().len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let kept = order.len() - axes.len();
        let out = View::dense(a.shape()).permute(&order)?;
        let ((a, a_row), (out, out_row)) =
            (a.permute(&order)?.halves(kept), out.halves(kept));
        let row = Walk::new([&a_row, &out_row]);
        let (length, steps) = (row.length, row.steps);
        let runs = row.from(0).take(a_row.len() / length).collect();
        let rows = Walk::new([&a, &out]);
        Ok(Rows { all, count: a.len(), rows, runs, length, steps })
    }

    /// Writes the shares of a block whose elements begin at a place.
    fn share(&self, at: usize, most: &[T], grads: &[T], out: &mut [T]) {
        // Rows that lie in one piece are walked one by one.
        let lies = self.steps == [1, 1] && self.length >= RUN;
        let some = if lies { 1 } else { ROWS };
        let runs = most.chunks(self.rows.length);
        let runs = runs.zip(grads.chunks(self.rows.length));
        for ((most, grads), start) in runs.zip(self.rows.from(0)) {
            let pieces = most.chunks(some).zip(grads.chunks(some));
            for (i, (most, grads)) in pieces.enumerate() {
                let way =
                    self.rows.steps.map(|step| step * (i * some) as isize);
                let from =
                    at.wrapping_add(start[0]).wrapping_add_signed(way[0]);
                let to = start[1].wrapping_add_signed(way[1]);
                let at = [from, to];
                match (self.is_side_by_side(), self.length) {
                    _ if lies => self.row(at, most[0], grads[0], out),
                    (true, 2) => self.tiles::<2>(at, most, grads, out),
                    (true, 3) => self.tiles::<3>(at, most, grads, out),
                    (true, 4) => self.tiles::<4>(at, most, grads, out),
                    _ => self.neighbors(at, most, grads, out),
                }
            }
        }
    }

    /// Lists where the runs of a row lie that begins at these places.
    fn runs(&self, at: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        self.runs.iter().map(move |run| {
            [at[0].wrapping_add(run[0]), at[1].wrapping_add(run[1])]
        })
    }

    fn row(&self, at: [usize; 2], most: T, grad: T, out: &mut [T]) {
        let run = |from: usize| &self.all[from..][..self.length];
        let large = |x: &T| u32::from(is_as_large(*x, most));
        let counts = self.runs(at).map(|[from, _]| run(from).iter().map(large));
        let count = counts.flatten().sum::<u32>();
        let share = grad / T::nearest(count.into());
        for [from, to] in self.runs(at) {
            let pairs = out[to..].iter_mut().zip(run(from));
            pairs.for_each(|(out, x)| {
                let is = is_as_large(*x, most);
                *out = select_unpredictable(is, share, T::zero())
            });
        }
    }

    /// Says whether the runs of one row after another lie in one piece, as
    /// windows do that tile an image.
    fn is_side_by_side(&self) -> bool {
        self.steps == [1, 1] && self.rows.steps == [self.length as isize; 2]
    }

    /// Shares in such rows, whose runs have a length that the compiler knows.
    fn tiles<const N: usize>(
        &self,
        at: [usize; 2],
        most: &[T],
        grads: &[T],
        out: &mut [T],
    ) {
        let runs = |from: usize| self.all[from..].as_chunks::<N>().0;
        let shares = &mut [T::zero(); ROWS][..most.len()];
        for [from, _] in self.runs(at) {
            let pairs = runs(from).iter().zip(most);
            for (count, (run, most)) in shares.iter_mut().zip(pairs) {
                let large = run.map(|x| truth(is_as_large(x, *most)));
                *count = large.iter().fold(*count, |sum, x: &T| sum + *x);
            }
        }
        let pairs = shares.iter_mut().zip(grads);
        pairs.for_each(|(share, grad)| *share = *grad / *share);
        for [from, to] in self.runs(at) {
            let outs = out[to..].as_chunks_mut::<N>().0.iter_mut();
            let pairs = runs(from).iter().zip(most).zip(&*shares);
            for (out, ((run, most), share)) in outs.zip(pairs) {
                *out = run.map(|x| {
                    let is = is_as_large(x, *most);
                    select_unpredictable(is, *share, T::zero())
                });
            }
        }
    }

    /// Shares in rows that begin side by side: one element of each, then the
    /// next one.
    fn neighbors(
        &self,
        at: [usize; 2],
        most: &[T],
        grads: &[T],
        out: &mut [T],
    ) {
        let [step, out_step] = self.rows.steps;
        let places = |[from, to]: [usize; 2]| {
            (0..self.length as isize).map(move |i| {
                [
                    from.wrapping_add_signed(i * self.steps[0]),
                    to.wrapping_add_signed(i * self.steps[1]),
                ]
            })
        };
        let shares = &mut [T::zero(); ROWS][..most.len()];
        for [from, _] in self.runs(at).flat_map(places) {
            let pairs = run(self.all, from, most.len(), step).zip(most);
            for (count, (x, most)) in shares.iter_mut().zip(pairs) {
                *count = *count + truth(is_as_large(x, *most));
            }
        }
        let pairs = shares.iter_mut().zip(grads);
        pairs.for_each(|(share, grad)| *share = *grad / *share);
        for [from, to] in self.runs(at).flat_map(places) {
            let pairs = run(self.all, from, most.len(), step).zip(most);
            let outs = out[to..].iter_mut().step_by(out_step as usize);
            for (out, ((x, most), share)) in outs.zip(pairs.zip(&*shares)) {
                let is = is_as_large(x, *most);
                *out = select_unpredictable(is, *share, T::zero());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_whole_rows_and_enough_of_them() {
        // One row of 64 by 64 is enough, and of 64 by 63 there must be all.
        assert_eq!(in_front(&[3, 64, 64], &[1, 2]), 1);
        assert_eq!(in_front(&[3, 64, 63], &[2, 1]), 0);
        assert_eq!(in_front(&[2, 3, 64, 64], &[3]), 2);
        assert_eq!(in_front(&[2, 3, 4096], &[2]), 2);
        assert_eq!(in_front(&[2, 3, 4096], &[0]), 0);
        assert_eq!(in_front(&[2, 3, 4096], &[2, 0]), 0);
        assert_eq!(in_front(&[2, 3], &[]), 0);
    }
}
