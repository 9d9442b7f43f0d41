//! Many numbers into one. So that no sum becomes a long chain, whose every
//! link would round, sums are short in `f32` and go on in `f64`. Their order
//! depends on sizes and places alone, and so does every bit.

use std::ops::Add;

use rayon::prelude::*;

use super::super::super::number::Real;
use super::elementary::each;
use super::host::{Host, blank};
use super::real::Number;
use super::walk::rows_of_part;
use super::walk::{
    ANYWHERE, EXPONENTIAL, ONCE, PIECE, Walk, fill, is_shared, run,
};
use super::{Array, Reduce, Shared, View, Window, dense, numbers};
use crate::base::share::share;
use crate::error::Result;

/// Is not larger than any.
fn least<T: Real>() -> T {
    T::neg_infinity()
}

fn larger<T: Real>(x: T, y: T) -> T {
    if y > x || y.is_nan() { y } else { x }
}

/// So many numbers side by side are worth being added up as a run.
const RUN: usize = 8;

/// Tells whether so few sums lie side by side that runs of this length are
/// better, however short.
fn are_few(sums: usize, run: usize) -> bool {
    sums < run.min(RUN)
}

/// Tells whether runs of this length are added up one by one.
fn are_runs(sums: usize, run: usize) -> bool {
    run >= RUN || are_few(sums, run)
}

/// Tells so of the rows of a dense matrix.
fn are_long(rows: usize, columns: usize) -> bool {
    columns >= RUN || rows < RUN
}

/// Says what a number costs: one that is read here and there counts twice.
fn distance(step: isize) -> usize {
    if step == 1 { 1 } else { 2 }
}

/// Says what a pixel costs: the numbers of all windows that it is the sum of.
fn windows_of_pixel(numbers: usize, pixels: usize) -> usize {
    numbers.div_ceil(pixels.max(1))
}

/// Computes `op` of each row; in row-major order `a` is (rows, columns), and
/// neither is 0.
pub(super) fn reduce<T: Number>(
    op: Reduce,
    a: &Array,
    rows: usize,
    columns: usize,
) -> Result<Shared> {
    if a.is_dense() && are_long(rows, columns) {
        return fill(rows, ANYWHERE, columns, &|from, out: &mut [T]| {
            let rows = dense::<T>(a)[from * columns..].chunks(columns);
            out.iter_mut().zip(rows).for_each(|(o, row)| *o = op.apply(row));
        });
    }
    let (kept, joined) = a.view().halves(axes_of(a.view(), rows));
    let (kept, joined) = (Walk::new([&kept]), Walk::new([&joined.sorted()]));
    let all = numbers::<T>(a);
    let few = are_few(kept.length, joined.length);
    if joined.steps == [1] && are_runs(kept.length, joined.length) {
        // The numbers of a row lie in runs.
        let runs = joined.from(0).take(columns / joined.length);
        let starts: Vec<usize> = runs.map(|[at]| at).collect();
        return fill(rows, ANYWHERE, columns, &|from, out| {
            for (out, at) in out.iter_mut().zip(kept.places(from)) {
                let runs = starts.iter().map(|start| {
                    &all[at.wrapping_add(*start)..][..joined.length]
                });
                *out = match op {
                    Reduce::Sum => {
                        T::nearest(runs.map(sum).fold(0.0, Add::add))
                    }
                    Reduce::Max => runs.map(most).fold(least(), larger),
                };
            }
        });
    }
    if few {
        return reduce::<T>(op, &a.compact()?, rows, columns);
    }
    // Those of neighbors do: every pass goes through memory as it lies.
    let starts: Vec<usize> = joined.places(0).take(columns).collect();
    let [step] = kept.steps;
    if kept.is_one() && are_shared_down(rows, columns) {
        let lines = kept.from(0).take(1).map(|[at]| at).collect();
        let lines = Neighbors { all, lines, length: rows, step };
        return lines.shared_down(op, &starts);
    }
    let unit = if kept.is_one() { 256 } else { kept.length };
    fill(rows, unit, columns * distance(step), &|from, out| {
        let inside = (from % kept.length) as isize * step;
        let length = if kept.is_one() { out.len() } else { kept.length };
        let lines = kept.from(from / kept.length);
        let lines = lines.take(out.len().div_ceil(length));
        let lines: Vec<usize> =
            lines.map(|[at]| at.wrapping_add_signed(inside)).collect();
        let lines = Neighbors { all, lines, length, step };
        match op {
            Reduce::Max => lines.join_all(op, &starts, out),
            Reduce::Sum => sum_down(out, &starts, &lines),
        }
    })
}

/// So many numbers are added up in `f32`, and their sums in `f64`.
const BLOCK: usize = 32;

/// Lines that are longer are cut among the threads.
const WIDE: usize = 1 << 13;

/// Tells whether threads share the numbers that are joined to one line, and
/// not the line: a piece of it would jump through memory.
fn are_shared_down(line: usize, numbers: usize) -> bool {
    is_shared(line * numbers) && line < WIDE && numbers > BLOCK
}

/// Numbers side by side: where each of their lines begins, how long it is and
/// how far apart they are.
struct Neighbors<'a, T> {
    all: &'a [T],
    lines: Vec<usize>,
    length: usize,
    step: isize,
}

impl<T: Number> Neighbors<'_, T> {
    /// Joins to each element the number that lies so far behind its place.
    #[inline(always)]
    fn join(&self, out: &mut [T], behind: usize, join: impl Fn(T, T) -> T) {
        for (out, line) in out.chunks_mut(self.length).zip(&self.lines) {
            let at = line.wrapping_add(behind);
            if self.step == 1 {
                let out = out.iter_mut().zip(&self.all[at..]);
                out.for_each(|(out, x)| *out = join(*out, *x));
            } else {
                let line = run(self.all, at, out.len(), self.step);
                let out = out.iter_mut().zip(line);
                out.for_each(|(out, x)| *out = join(*out, x));
            }
        }
    }
}

impl<T: Number> Neighbors<'_, T> {
    /// Joins to each element all the numbers that lie so far behind its place.
    fn join_all(&self, op: Reduce, behind: &[usize], out: &mut [T]) {
        match op {
            Reduce::Sum => {
                out.fill(T::zero());
                behind.iter().for_each(|&at| self.join(out, at, Add::add));
            }
            Reduce::Max => {
                out.fill(least());
                behind.iter().for_each(|&at| self.join(out, at, larger));
            }
        }
    }

    /// Makes a line of what threads have joined block by block. The blocks are
    /// those of one thread and come in their order, and so do the bits.
    fn shared_down(&self, op: Reduce, behind: &[usize]) -> Result<Shared> {
        let n = self.length;
        let mut parts = blank::<T>(n * behind.len().div_ceil(BLOCK))?;
        let some = (PIECE / (n * BLOCK)).max(1);
        let pieces = parts.chunks_mut(n * some);
        share(pieces.zip(behind.chunks(BLOCK * some)), |(parts, behind)| {
            let blocks = parts.chunks_mut(n).zip(behind.chunks(BLOCK));
            blocks.for_each(|(part, block)| self.join_all(op, block, part));
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

/// Counts the axes in front that show so many elements.
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

/// Adds up a run, in chunks that are joined in order: the same bits for any
/// number of threads. It is rounded once, by who asks.
pub(in super::super) fn sum<T: Real>(values: &[T]) -> f64 {
    const CHUNK: usize = 4096;
    // From 0 on, because Rust's own sum of nothing is -0.
    let add = |total: f64, chunk: f64| total + chunk;
    match is_shared(values.len()) {
        true => {
            let sums = values.par_chunks(CHUNK).map(chunk::<T>);
            sums.collect::<Vec<f64>>().into_iter().fold(0.0, add)
        }
        false => values.chunks(CHUNK).map(chunk::<T>).fold(0.0, add),
    }
}

/// Adds up a chunk in eight sums side by side, to which a processor adds at
/// once.
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

/// Finds the largest of a run, of eight numbers at a time, too.
pub(in super::super) fn most<T: Real>(values: &[T]) -> T {
    let (eights, rest) = values.as_chunks::<8>();
    let mut most = [least::<T>(); 8];
    for eight in eights {
        let pairs = most.iter_mut().zip(eight);
        pairs.for_each(|(most, x)| *most = larger(*most, *x));
    }
    most.iter().chain(rest).copied().fold(least(), larger)
}

/// Adds columns to each other, block by block, so that none becomes a long
/// chain.
fn sum_down<T: Number>(out: &mut [T], columns: &[usize], lines: &Neighbors<T>) {
    if columns.len() <= BLOCK {
        return lines.join_all(Reduce::Sum, columns, out);
    }
    let mut totals = vec![0.0; out.len()];
    for block in columns.chunks(BLOCK) {
        lines.join_all(Reduce::Sum, block, out);
        add_to(&mut totals, out);
    }
    round(&totals, out);
}

fn add_to<T: Number>(totals: &mut [f64], sums: &[T]) {
    let pairs = totals.iter_mut().zip(sums);
    pairs.for_each(|(total, sum)| *total += sum.wide());
}

fn round<T: Number>(totals: &[f64], out: &mut [T]) {
    let pairs = out.iter_mut().zip(totals);
    pairs.for_each(|(out, total)| *out = T::nearest(*total));
}

/// Computes the shares in each row of a dense matrix. The largest of a row
/// becomes 0, so no exponential exceeds 1.
pub(super) fn softmax<T: Number>(a: &Array) -> Result<Shared> {
    shares(a, |_, _, total, out: &mut [T]| {
        let total = T::nearest(total);
        out.iter_mut().for_each(|out| *out = *out / total);
    })
}

/// Computes their logarithms.
pub(super) fn log_softmax<T: Number>(a: &Array) -> Result<Shared> {
    shares(a, |row, most, total, out: &mut [T]| {
        let log = T::nearest(total.ln());
        // One after the other: a large score would swallow the logarithm.
        let out = out.iter_mut().zip(row);
        out.for_each(|(out, x)| *out = *x - most - log);
    })
}

/// Computes the exponentials in each row, and lets `finish` make of them what
/// it will, by the row, its largest number, and their sum.
fn shares<T: Number>(
    a: &Array,
    finish: impl Fn(&[T], T, f64, &mut [T]) + Sync,
) -> Result<Shared> {
    let (rows, columns) = (dense::<T>(a), a.shape()[1]);
    fill(a.len(), columns, EXPONENTIAL, &|from, out| {
        let rows = rows[from..].chunks(columns);
        for (out, row) in out.chunks_mut(columns).zip(rows) {
            let most = most(row);
            each(row, out, |fma, x| T::exponential(fma, x - most));
            finish(row, most, sum(out), out);
        }
    })
}

/// Adds up windows (.., rows, columns, height, width) to images: number by
/// number of the window, so that neighbors are written side by side.
pub(super) fn fold<T: Number>(
    a: &Array,
    window: &Window,
    count: usize,
    image: [usize; 2],
) -> Result<Shared> {
    let size = image[0] * image[1];
    let (outer, inner) = a.view().halves(a.shape().len() - 4);
    let (rows, columns) = (inner.shape()[0], inner.shape()[1]);
    let steps: Vec<isize> = inner.strides().to_vec();
    let outer = Walk::new([&outer]);
    let all = numbers::<T>(a);
    let cost = windows_of_pixel(a.len(), count * size);
    fill(count * size, size, cost, &|from, out| {
        let images = out.chunks_mut(size).zip(outer.places(from / size));
        let mut sums = vec![0.0; size];
        for (out, start) in images {
            sums.fill(0.0);
            for i in 0..window.size[0] * window.size[1] {
                let (y, x) = (i / window.size[1], i % window.size[1]);
                let start = start as isize + y as isize * steps[2];
                let start = start + x as isize * steps[3];
                for row in 0..rows {
                    let at = start + row as isize * steps[0];
                    let to = row * window.stride[0] + y * window.dilation[0];
                    let to = to * image[1] + x * window.dilation[1];
                    let values = run(all, at as usize, columns, steps[1]);
                    let sums = sums[to..].iter_mut();
                    let sums = sums.step_by(window.stride[1]).zip(values);
                    sums.for_each(|(sum, x)| *sum += x.wide());
                }
            }
            let pairs = out.iter_mut().zip(&sums);
            pairs.for_each(|(out, sum)| *out = T::nearest(*sum));
        }
    })
}

/// Adds each row of a dense matrix to its place among so many rows. Each part
/// looks at all indices and takes its own.
pub(super) fn rows_added<T: Number>(
    a: &Array,
    places: &[usize],
    rows: usize,
) -> Result<Shared> {
    let width = a.shape()[1];
    let part = rows_of_part(rows, width) * width;
    fill(rows * width, part, ONCE, &|from, out: &mut [T]| {
        let mut sums = vec![0.0; out.len()];
        for (given, place) in dense::<T>(a).chunks(width).zip(places) {
            let to = (place * width).wrapping_sub(from);
            if to < out.len() {
                let pairs = sums[to..].iter_mut().zip(given);
                pairs.for_each(|(sum, x)| *sum += x.wide());
            }
        }
        round(&sums, out);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_added_up_where_few_sums_lie_side_by_side() {
        for (sums, run, few) in [
            (7, 8, true),
            (8, 8, false),
            (7, 100, true),
            (8, 100, false),
            (2, 3, true),
            (3, 3, false),
        ] {
            assert_eq!(are_few(sums, run), few, "{sums} of {run}");
        }
        assert!(are_runs(100, 8) && are_runs(2, 3));
        assert!(!are_runs(100, 7) && !are_runs(3, 3));
        assert!(are_long(100, 8) && are_long(7, 2) && !are_long(8, 7));
        assert_eq!([1, 2, 0, -1].map(distance), [1, 2, 2, 2]);
    }

    #[test]
    fn a_pixel_costs_the_numbers_that_it_is_the_sum_of() {
        assert_eq!(windows_of_pixel(90, 30), 3);
        assert_eq!(windows_of_pixel(91, 30), 4);
        assert_eq!(windows_of_pixel(0, 0), 0);
    }
}
