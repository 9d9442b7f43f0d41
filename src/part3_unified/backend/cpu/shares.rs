//! The gradient of a largest element, shared by those that are as large.

use std::hint::select_unpredictable;

use super::walk::{Walk, fill, run};
use super::{Array, Host, Shared, View, compact, dense, numbers};
use crate::error::Result;

/// So many rows are walked side by side.
const ROWS: usize = 64;
/// A thread gets at least so many elements, if there are as many.
const BLOCK: usize = 4096;

/// See [`super::Backend::max_share`]. A block of the result is all that some
/// axes in front leave, so it has whole rows.
pub(super) fn max_share(
    a: &Array,
    most: &Array,
    grads: &Array,
    axes: &[usize],
) -> Result<Shared> {
    if a.is_empty() {
        return Ok(Host::shared(vec![]));
    }
    let mut front = axes.iter().min().copied().unwrap_or(0);
    let size = |from: usize| a.shape()[from..].iter().product::<usize>();
    while front > 0 && size(front) < BLOCK {
        front -= 1;
    }
    let block = size(front);
    let (outer, inner) = a.view().halves(front);
    let axes: Vec<usize> = axes.iter().map(|axis| axis - front).collect();
    let block_rows = Rows::new(numbers(a), &inner, &axes)?;
    let (most, grads) = (compact(most)?, compact(grads)?);
    let (most, grads) = (dense(&most), dense(&grads));
    let outer = Walk::new([&outer]);
    fill(a.len(), block, 2, &|from, out| {
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

fn is_as_large(x: f32, most: f32) -> bool {
    x == most || x.is_nan()
}

/// The rows of a block, each by two walks at once: of the elements, and of
/// the result.
struct Rows<'a> {
    all: &'a [f32],
    count: usize,
    /// Where the rows begin.
    rows: Walk<2>,
    /// Where a row's runs begin, as seen from its beginning.
    runs: Vec<[usize; 2]>,
    /// How long they are, and their steps.
    length: usize,
    steps: [isize; 2],
}

impl<'a> Rows<'a> {
    fn new(all: &'a [f32], a: &View, axes: &[usize]) -> Result<Rows<'a>> {
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
    fn share(&self, at: usize, most: &[f32], grads: &[f32], out: &mut [f32]) {
        // Rows that lie in one piece are walked one by one.
        let lies = self.steps == [1, 1] && self.length >= 8;
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
                match lies {
                    true => self.row([from, to], most[0], grads[0], out),
                    false => self.neighbors([from, to], most, grads, out),
                }
            }
        }
    }

    /// Where the runs of a row lie that begins at these places.
    fn runs(&self, at: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        self.runs.iter().map(move |run| {
            [at[0].wrapping_add(run[0]), at[1].wrapping_add(run[1])]
        })
    }

    fn row(&self, at: [usize; 2], most: f32, grad: f32, out: &mut [f32]) {
        let run = |from: usize| &self.all[from..][..self.length];
        let large = |x: &f32| u32::from(is_as_large(*x, most));
        let counts = self.runs(at).map(|[from, _]| run(from).iter().map(large));
        let share = grad / counts.flatten().sum::<u32>() as f32;
        for [from, to] in self.runs(at) {
            let pairs = out[to..].iter_mut().zip(run(from));
            pairs.for_each(|(out, x)| {
                *out = select_unpredictable(is_as_large(*x, most), share, 0.0)
            });
        }
    }

    /// Rows that begin side by side: one element of each, then the next one.
    fn neighbors(
        &self,
        at: [usize; 2],
        most: &[f32],
        grads: &[f32],
        out: &mut [f32],
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
        let shares = &mut [0.0; ROWS][..most.len()];
        for [from, _] in self.runs(at).flat_map(places) {
            let pairs = run(self.all, from, most.len(), step).zip(most);
            for (count, (x, most)) in shares.iter_mut().zip(pairs) {
                *count += f32::from(is_as_large(x, *most));
            }
        }
        let pairs = shares.iter_mut().zip(grads);
        pairs.for_each(|(share, grad)| *share = grad / *share);
        for [from, to] in self.runs(at).flat_map(places) {
            let pairs = run(self.all, from, most.len(), step).zip(most);
            let outs = out[to..].iter_mut().step_by(out_step as usize);
            for (out, ((x, most), share)) in outs.zip(pairs.zip(&*shares)) {
                *out = select_unpredictable(is_as_large(x, *most), *share, 0.0);
            }
        }
    }
}
