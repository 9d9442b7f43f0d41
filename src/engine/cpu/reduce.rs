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
//! 2. **Partial sums.** Several of them let the compiler vectorize the loop.
//! 3. **Threads.** They share the results, or blocks of a long reduced axis.
//!
//! A long chain of `f32` additions accumulates rounding errors, so partial
//! sums in `f32` are short, and totals are `f64`. The order of additions
//! depends on shapes and indices alone, so the result has the same bits for
//! any number of threads.

use std::ops::Add;

use pulp::Arch;

use super::host::{Host, blank};
use super::parallel::{ANY_SPLIT, fill, items_per_chunk};
use super::strided::{StridedRuns, run};
use super::types::CpuFloat;
use super::{Array, Reduce, Shared, View, dense, storage_elements};
use crate::engine::threads::{parallel_for, threads_for};
use crate::error::Result;
use crate::part3_unified::Real;

/// The initial value of a maximum.
#[inline(always)]
fn least<T: Real>() -> T {
    T::neg_infinity()
}

/// Returns the larger of two values; NaN if either is NaN.
#[inline(always)]
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
            Arch::new().dispatch(|| {
                for (out, row) in out.iter_mut().zip(rows) {
                    *out = match op {
                        Reduce::Sum => T::nearest(row_sum(row)),
                        Reduce::Max => row_max(row),
                    };
                }
            });
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
            Arch::new().dispatch(|| {
                for (out, row) in out.iter_mut().zip(kept.offsets(from)) {
                    let runs = starts.iter().map(|start| {
                        &all[row.wrapping_add(*start)..][..joined.length]
                    });
                    *out = match op {
                        Reduce::Sum => {
                            T::nearest(runs.map(row_sum).fold(0.0, Add::add))
                        }
                        Reduce::Max => runs.map(row_max).fold(least(), larger),
                    };
                }
            });
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
        let line = Line { all, start: kept.starts[0], length: rows, step };
        return line.reduce_in_parallel(op, &starts);
    }
    let unit = if kept.is_single_run() { 256 } else { kept.length };
    fill(rows, unit, columns * step_cost(step), &|from, out| {
        let inside = (from % kept.length) as isize * step;
        let length = if kept.is_single_run() { out.len() } else { kept.length };
        let lines = kept.run_starts(from / kept.length);
        for (out, [start]) in out.chunks_mut(length).zip(lines) {
            let start = start.wrapping_add_signed(inside);
            Line { all, start, length, step }.reduce(op, &starts, out);
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
    line < MIN_SPLIT_LINE && reduced > BLOCK && threads_for(line * reduced) > 1
}

/// A line of adjacent results, as the elements of the operand at the first
/// index of the reduced axes.
struct Line<'a, T> {
    all: &'a [T],
    start: usize,
    length: usize,
    step: isize,
}

impl<T: CpuFloat> Line<'_, T> {
    /// Accumulates into each result the element at a distance from the
    /// result's own offset.
    #[inline(always)]
    fn accumulate(
        &self,
        out: &mut [T],
        distance: usize,
        combine: impl Fn(T, T) -> T,
    ) {
        let start = self.start.wrapping_add(distance);
        if self.step == 1 {
            let out = out.iter_mut().zip(&self.all[start..]);
            out.for_each(|(out, x)| *out = combine(*out, *x));
        } else {
            let line = run(self.all, start, out.len(), self.step);
            let out = out.iter_mut().zip(line);
            out.for_each(|(out, x)| *out = combine(*out, x));
        }
    }

    /// Reduces into each result the elements at all of these distances. A sum
    /// is in `T`.
    fn accumulate_all(&self, op: Reduce, distances: &[usize], out: &mut [T]) {
        Arch::new().dispatch(|| match op {
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
        })
    }

    /// Reduces into each result the elements at all of these distances. The
    /// sums of blocks of [`BLOCK`] elements are added in `f64`.
    fn reduce(&self, op: Reduce, distances: &[usize], out: &mut [T]) {
        if op == Reduce::Max || distances.len() <= BLOCK {
            return self.accumulate_all(op, distances, out);
        }
        let mut totals = vec![0.0; out.len()];
        for block in distances.chunks(BLOCK) {
            self.accumulate_all(Reduce::Sum, block, out);
            add_to(&mut totals, out);
        }
        round(&totals, out);
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
        let threads = threads_for(n * distances.len());
        let blocks_per_task = items_per_chunk(parts.len() / n, threads);
        let tasks = parts
            .chunks_mut(n * blocks_per_task)
            .zip(distances.chunks(BLOCK * blocks_per_task));
        parallel_for(threads, tasks, |(parts, distances)| {
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

/// Elements of a chunk of a long sum.
const CHUNK: usize = 4096;

/// Returns the sum of a slice. Chunks are added in order, so the result has
/// the same bits for any number of threads. The caller rounds it to `T`.
pub(crate) fn sum<T: Real>(values: &[T]) -> f64 {
    // Start at 0, because `Iterator::sum` of no elements is -0.
    let add = |total: f64, chunk: f64| total + chunk;
    let threads = threads_for(values.len());
    let arch = Arch::new();
    if threads == 1 {
        return arch.dispatch(|| {
            values.chunks(CHUNK).map(chunk_sum::<T>).fold(0.0, add)
        });
    }
    let mut sums = vec![0.0; values.len().div_ceil(CHUNK)];
    let chunks_per_task = items_per_chunk(sums.len(), threads);
    let tasks = sums
        .chunks_mut(chunks_per_task)
        .zip(values.chunks(CHUNK * chunks_per_task));
    parallel_for(threads, tasks, |(sums, values)| {
        let chunks = sums.iter_mut().zip(values.chunks(CHUNK));
        arch.dispatch(|| {
            chunks.for_each(|(sum, chunk)| *sum = chunk_sum(chunk));
        });
    });
    sums.into_iter().fold(0.0, add)
}

/// How many independent partial results a reduction of a run has, so that the
/// compiler vectorizes it and no addition waits for the one before it.
const LANES: usize = 32;

/// Combines partial results in pairs, which are independent of each other.
#[inline(always)]
fn fold_lanes<T: Copy>(
    mut lanes: [T; LANES],
    combine: impl Fn(T, T) -> T,
) -> T {
    let mut count = LANES;
    while count > 1 {
        count /= 2;
        for i in 0..count {
            lanes[i] = combine(lanes[i], lanes[i + count]);
        }
    }
    lanes[0]
}

/// Returns the sum of a row.
#[inline(always)]
fn row_sum<T: Real>(row: &[T]) -> f64 {
    if row.len() <= CHUNK { chunk_sum(row) } else { sum(row) }
}

/// Returns the sum of a chunk.
#[inline(always)]
fn chunk_sum<T: Real>(values: &[T]) -> f64 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        let pairs = sums.iter_mut().zip(block);
        pairs.for_each(|(sum, x)| *sum += x.wide());
    }
    let rest = rest.iter().map(|x| x.wide());
    rest.fold(fold_lanes(sums, Add::add), Add::add)
}

/// Returns the maximum of a slice.
pub(crate) fn max<T: Real>(values: &[T]) -> T {
    Arch::new().dispatch(|| row_max(values))
}

/// Returns the maximum of a row.
#[inline(always)]
fn row_max<T: Real>(values: &[T]) -> T {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut maxima = [least::<T>(); LANES];
    for block in blocks {
        let pairs = maxima.iter_mut().zip(block);
        pairs.for_each(|(max, x)| *max = larger(*max, *x));
    }
    rest.iter().copied().fold(fold_lanes(maxima, larger), larger)
}

fn add_to<T: CpuFloat>(totals: &mut [f64], sums: &[T]) {
    Arch::new().dispatch(|| {
        let pairs = totals.iter_mut().zip(sums);
        pairs.for_each(|(total, sum)| *total += sum.wide());
    });
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
