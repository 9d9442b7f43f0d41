//! Reductions: sums and maxima.
//!
//! The simple algorithm, for each row:
//!
//! ```text
//! for i in row: sum += a[i]
//! ```
//!
//! Three optimizations are applied to it:
//!
//! 1. **Memory order.** Contiguous rows are reduced one by one. Otherwise the
//!    results of adjacent rows are accumulated together.
//! 2. **Partial sums.** Eight of them let the compiler vectorize the loop.
//! 3. **Threads.** They share the results, or blocks of a long reduced axis.
//!
//! A long chain of `f32` additions accumulates rounding errors, so partial
//! sums in `f32` are short, and totals are `f64`. The order of additions
//! depends on shapes and indices alone, so the result has the same bits for
//! any number of threads.

use std::ops::Add;

use rayon::prelude::*;

use super::host::{Host, blank};
use super::parallel::{ANY_SPLIT, CHUNK_COST, fill, is_parallel};
use super::strided::{StridedRuns, run};
use super::types::CpuFloat;
use super::{Array, Reduce, Shared, View, dense, storage_elements};
use crate::engine::threads::parallel_for;
use crate::error::Result;
use crate::part3_unified::Real;

/// The initial value of a maximum.
fn least<T: Real>() -> T {
    T::neg_infinity()
}

/// Returns the larger of two values; NaN if either is NaN.
fn larger<T: Real>(x: T, y: T) -> T {
    if y > x || y.is_nan() { y } else { x }
}

/// Minimum length of a contiguous run that is reduced by itself. Shorter runs
/// are reduced together with adjacent results.
const MIN_RUN: usize = 8;

/// Returns whether there are so few adjacent results that reducing runs of
/// this length one by one is faster, even if they are short.
fn has_few_results(results: usize, run: usize) -> bool {
    results < run.min(MIN_RUN)
}

/// Returns whether runs of this length are reduced one by one.
fn reduces_by_run(results: usize, run: usize) -> bool {
    run >= MIN_RUN || has_few_results(results, run)
}

/// Returns whether the rows of a dense matrix are reduced one by one.
fn reduces_by_row(rows: usize, columns: usize) -> bool {
    columns >= MIN_RUN || rows < MIN_RUN
}

/// Returns the cost of an element in a run with this step, in contiguous
/// reads.
fn step_cost(step: isize) -> usize {
    if step == 1 { 1 } else { 2 }
}

/// Reduces each row with `op`. The elements of `a` in row-major order form a
/// (rows, columns) matrix, and neither size is 0.
pub(super) fn reduce<T: CpuFloat>(
    op: Reduce,
    a: &Array,
    rows: usize,
    columns: usize,
) -> Result<Shared> {
    if a.is_dense() && reduces_by_row(rows, columns) {
        return fill(rows, ANY_SPLIT, columns, &|from, out: &mut [T]| {
            let rows = dense::<T>(a)[from * columns..].chunks(columns);
            for (out, row) in out.iter_mut().zip(rows) {
                *out = match op {
                    Reduce::Sum => T::nearest(sum(row)),
                    Reduce::Max => max(row),
                };
            }
        });
    }
    let (kept, joined) = a.view().split_at(axes_of(a.view(), rows));
    let (kept, joined) = (
        StridedRuns::new([&kept]),
        StridedRuns::new([&joined.sorted_by_stride()]),
    );
    let all = storage_elements::<T>(a);
    let has_few_results = has_few_results(kept.length, joined.length);
    if joined.steps == [1] && reduces_by_run(kept.length, joined.length) {
        // The elements of a row form contiguous runs.
        let runs = joined.run_starts(0).take(columns / joined.length);
        let starts: Vec<usize> = runs.map(|[start]| start).collect();
        return fill(rows, ANY_SPLIT, columns, &|from, out| {
            for (out, row) in out.iter_mut().zip(kept.offsets(from)) {
                let runs = starts.iter().map(|start| {
                    &all[row.wrapping_add(*start)..][..joined.length]
                });
                *out = match op {
                    Reduce::Sum => {
                        T::nearest(runs.map(sum).fold(0.0, Add::add))
                    }
                    Reduce::Max => runs.map(max).fold(least(), larger),
                };
            }
        });
    }
    if has_few_results {
        return reduce::<T>(op, &a.compact()?, rows, columns);
    }
    // The elements of adjacent results are adjacent: accumulate all results at
    // once, so that every pass reads memory in order.
    let starts: Vec<usize> = joined.offsets(0).take(columns).collect();
    let [step] = kept.steps;
    if kept.is_single_run() && splits_reduced_axis(rows, columns) {
        let lines = kept.run_starts(0).take(1).map(|[start]| start).collect();
        let lines = Lines { all, lines, length: rows, step };
        return lines.reduce_in_parallel(op, &starts);
    }
    let unit = if kept.is_single_run() { 256 } else { kept.length };
    fill(rows, unit, columns * step_cost(step), &|from, out| {
        let inside = (from % kept.length) as isize * step;
        let length = if kept.is_single_run() { out.len() } else { kept.length };
        let lines = kept.run_starts(from / kept.length);
        let lines = lines.take(out.len().div_ceil(length));
        let lines: Vec<usize> =
            lines.map(|[start]| start.wrapping_add_signed(inside)).collect();
        let lines = Lines { all, lines, length, step };
        match op {
            Reduce::Max => lines.accumulate_all(op, &starts, out),
            Reduce::Sum => sum_down(out, &starts, &lines),
        }
    })
}

/// How many elements are added in `f32`. The sums of these blocks are added in
/// `f64`.
const BLOCK: usize = 32;

/// Longer lines of results are split among threads.
const MIN_SPLIT_LINE: usize = 1 << 13;

/// Returns whether threads split the reduced axis instead of the line of
/// results. Parts of a short line would read memory in small pieces.
fn splits_reduced_axis(line: usize, reduced: usize) -> bool {
    is_parallel(line * reduced) && line < MIN_SPLIT_LINE && reduced > BLOCK
}

/// Lines of adjacent results, as the elements of the operand at the first
/// index of the reduced axes: the offset of each line, its length and its
/// step.
struct Lines<'a, T> {
    all: &'a [T],
    lines: Vec<usize>,
    length: usize,
    step: isize,
}

impl<T: CpuFloat> Lines<'_, T> {
    /// Accumulates into each result the element at a distance from the
    /// result's own offset.
    #[inline(always)]
    fn accumulate(
        &self,
        out: &mut [T],
        distance: usize,
        combine: impl Fn(T, T) -> T,
    ) {
        for (out, line) in out.chunks_mut(self.length).zip(&self.lines) {
            let start = line.wrapping_add(distance);
            if self.step == 1 {
                let out = out.iter_mut().zip(&self.all[start..]);
                out.for_each(|(out, x)| *out = combine(*out, *x));
            } else {
                let line = run(self.all, start, out.len(), self.step);
                let out = out.iter_mut().zip(line);
                out.for_each(|(out, x)| *out = combine(*out, x));
            }
        }
    }
}

impl<T: CpuFloat> Lines<'_, T> {
    /// Reduces into each result the elements at all of these distances.
    fn accumulate_all(&self, op: Reduce, distances: &[usize], out: &mut [T]) {
        match op {
            Reduce::Sum => {
                out.fill(T::zero());
                let add = |&distance| self.accumulate(out, distance, Add::add);
                distances.iter().for_each(add);
            }
            Reduce::Max => {
                out.fill(least());
                let max = |&distance| self.accumulate(out, distance, larger);
                distances.iter().for_each(max);
            }
        }
    }

    /// Reduces one line, with the blocks of the reduced axis in parallel. The
    /// blocks and their order are the same as on one thread, so the result has
    /// the same bits.
    fn reduce_in_parallel(
        &self,
        op: Reduce,
        distances: &[usize],
    ) -> Result<Shared> {
        let n = self.length;
        let mut parts = blank::<T>(n * distances.len().div_ceil(BLOCK))?;
        let blocks_per_task = (CHUNK_COST / (n * BLOCK)).max(1);
        let tasks = parts
            .chunks_mut(n * blocks_per_task)
            .zip(distances.chunks(BLOCK * blocks_per_task));
        parallel_for(tasks, |(parts, distances)| {
            let blocks = parts.chunks_mut(n).zip(distances.chunks(BLOCK));
            blocks.for_each(|(part, block)| {
                self.accumulate_all(op, block, part);
            });
        });
        let mut out = blank::<T>(n)?;
        match op {
            Reduce::Max => {
                out.fill(least());
                for part in parts.chunks(n) {
                    let pairs = out.iter_mut().zip(part);
                    pairs.for_each(|(out, x)| *out = larger(*out, *x));
                }
            }
            Reduce::Sum => {
                let mut totals = vec![0.0; n];
                parts.chunks(n).for_each(|part| add_to(&mut totals, part));
                round(&totals, &mut out);
            }
        }
        Ok(Host::shared(out))
    }
}

/// Returns how many leading axes have `count` elements.
fn axes_of(view: &View, count: usize) -> usize {
    let mut left = count;
    let shape = view.shape().iter();
    shape
        .take_while(|&&size| {
            let goes_on = left > 1;
            left /= size;
            goes_on
        })
        .count()
}

/// Returns the sum of a slice. Chunks are added in order, so the result has
/// the same bits for any number of threads. The caller rounds it to `T`.
pub(crate) fn sum<T: Real>(values: &[T]) -> f64 {
    const CHUNK: usize = 4096;
    // Start at 0, because `Iterator::sum` of no elements is -0.
    let add = |total: f64, chunk: f64| total + chunk;
    if is_parallel(values.len()) {
        let sums = values.par_chunks(CHUNK).map(chunk::<T>);
        sums.collect::<Vec<f64>>().into_iter().fold(0.0, add)
    } else {
        values.chunks(CHUNK).map(chunk::<T>).fold(0.0, add)
    }
}

/// Returns the sum of a chunk. Eight independent partial sums let the compiler
/// vectorize the loop.
fn chunk<T: Real>(values: &[T]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        let pairs = sums.iter_mut().zip(eight);
        pairs.for_each(|(sum, x)| *sum += x.wide());
    }
    let rest = rest.iter().map(|x| x.wide());
    sums.into_iter().chain(rest).fold(0.0, |total, x| total + x)
}

/// Returns the maximum of a slice, with eight independent partial maxima.
pub(crate) fn max<T: Real>(values: &[T]) -> T {
    let (eights, rest) = values.as_chunks::<8>();
    let mut maxima = [least::<T>(); 8];
    for eight in eights {
        let pairs = maxima.iter_mut().zip(eight);
        pairs.for_each(|(max, x)| *max = larger(*max, *x));
    }
    maxima.iter().chain(rest).copied().fold(least(), larger)
}

/// Sums over the reduced axis, in blocks of [`BLOCK`] elements.
fn sum_down<T: CpuFloat>(out: &mut [T], distances: &[usize], lines: &Lines<T>) {
    if distances.len() <= BLOCK {
        return lines.accumulate_all(Reduce::Sum, distances, out);
    }
    let mut totals = vec![0.0; out.len()];
    for block in distances.chunks(BLOCK) {
        lines.accumulate_all(Reduce::Sum, block, out);
        add_to(&mut totals, out);
    }
    round(&totals, out);
}

fn add_to<T: CpuFloat>(totals: &mut [f64], sums: &[T]) {
    let pairs = totals.iter_mut().zip(sums);
    pairs.for_each(|(total, sum)| *total += sum.wide());
}

pub(super) fn round<T: CpuFloat>(totals: &[f64], out: &mut [T]) {
    let pairs = out.iter_mut().zip(totals);
    pairs.for_each(|(out, total)| *out = T::nearest(*total));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_reduced_one_by_one_if_few_results_are_adjacent() {
        for (results, run, few) in [
            (7, 8, true),
            (8, 8, false),
            (7, 100, true),
            (8, 100, false),
            (2, 3, true),
            (3, 3, false),
        ] {
            assert_eq!(
                has_few_results(results, run),
                few,
                "{results} of {run}"
            );
        }
        assert!(reduces_by_run(100, 8) && reduces_by_run(2, 3));
        assert!(!reduces_by_run(100, 7) && !reduces_by_run(3, 3));
        assert!(reduces_by_row(100, 8) && reduces_by_row(7, 2));
        assert!(!reduces_by_row(8, 7));
        assert_eq!([1, 2, 0, -1].map(step_cost), [1, 2, 2, 2]);
    }
}
