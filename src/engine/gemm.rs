//! Matrix multiplication on the CPU, used by Parts 1 and 3.
//!
//! The simple algorithm computes each element as a dot product along `k`. It
//! adds blocks of products, to bound the rounding error:
//!
//! ```text
//! for each row i of a and column j of b:
//!     total = 0                                        # f64
//!     for each section of 2048 indices k:
//!         sum = 0                                      # f32
//!         for each block of 128 indices k in the section:
//!             sum += sum over k in the block of a[i, k] * b[k, j]
//!         total += sum
//!     out[i, j] = total
//! ```
//!
//! The optimizations:
//!
//! 1. **Matrix times vector.** A matrix that is used once is read once, in
//!    memory order, and never copied (`vector`, and `row` for the transposed
//!    case).
//! 2. **Threads.** The result is divided into parts that fit the caches, and
//!    threads compute the parts (`partition`). If there are fewer parts than
//!    threads, the sections of a long `k` are computed in parallel instead.
//! 3. **Packing.** Rows and columns are copied into panels that the inner loop
//!    reads in order, unless they are contiguous and rarely reused (`lines`).
//! 4. **Register tiles.** The sums of a few rows by a few SIMD registers of
//!    columns stay in registers for a whole block (`tile`).
//!
//! `vector` adds the products of an element in a different order than the
//! simple algorithm; the other optimizations keep its order. No order depends
//! on the number of threads, so that number does not change a bit.
//!
//! Reading order: [`Lines`], the operands; [`product`]; [`Part`], the work of
//! one thread; [`tile`], which reads its left operand through `lhs`.

mod lhs;
mod lines;
mod partition;
mod row;
mod tile;
mod vector;

use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use self::lhs::{Lhs, LhsPanel};
pub(crate) use self::lines::transpose;
pub(crate) use self::lines::{Lines, Offsets};
use self::lines::{Panels, Submatrix, count_runs, runs};
use self::partition::{MANY_REGISTERS, Partition, TileShape, reads_in_place};
use self::row::Row;
use self::tile::{Out, tile};
use self::vector::vector;
use super::threads::{parallel_for, threads_for_products};

/// Length of a block along `k`, whose products are added in `f32`.
const BLOCK: usize = 128;
/// Length of a section along `k`, whose block sums are added in `f32`. The
/// sums of sections are added in `f64`.
const MAX_F32_SUM: usize = 16 * BLOCK;
/// Elements of a cache line. Panels are aligned to it, because a register load
/// that crosses cache lines takes longer.
const CACHE_LINE: usize = 16;
/// How many indices along `k` are packed at a time.
const PACK_DEPTH: usize = 2 * BLOCK;

/// Writes the dot product of each line of `a` with each line of `b` to `out`,
/// in row-major order: one row per line of `a`, one column per line of `b`.
/// All lines have the same length, and each operand has at least one.
pub(crate) fn product(a: Lines, b: Lines, out: &mut [f32]) {
    let (m, n, k) = (a.lines.len(), b.lines.len(), a.inner.len());
    if n == 1 && a.inner.is_contiguous() {
        return vector(a, b, out);
    }
    // Compute the transposed product, which reads the matrix in memory order.
    if n == 1 && m > 1 {
        return product(b, a, out);
    }
    let threads = threads_for_products(m * n * k);
    let partition = Partition::new([m, n, k], threads);
    let concurrent_sums = partition.concurrent_sums;
    let [heights, widths] = partition.lengths(m, n);
    let parts = heights.len() * widths.len();
    let mut tiles: Vec<Tile> = Vec::with_capacity(parts);
    let (mut from, mut rest) = (0, out);
    for height in heights {
        let (strip, others) = rest.split_at_mut(height * n);
        let mut rows: Vec<&mut [f32]> = strip.chunks_mut(n).collect();
        let mut left = 0;
        for &width in &widths {
            let rows = if width < n {
                rows.iter_mut().map(|row| split_front(row, width)).collect()
            } else {
                std::mem::take(&mut rows)
            };
            tiles.push(Tile { lines: from..from + height, left, rows });
            left += width;
        }
        (from, rest) = (from + height, others);
    }
    let fill = |tile: Tile| tile.fill(a, b, concurrent_sums);
    parallel_for(threads, tiles.into_iter(), fill);
}

/// Splits up to `max` elements off the front of a row.
fn split_front<'a>(row: &mut &'a mut [f32], max: usize) -> &'a mut [f32] {
    let length = max.min(row.len());
    row.split_off_mut(..length).expect("the slice is long enough")
}

/// A rectangular part of the result.
struct Tile<'a> {
    /// The lines of `a` that it needs.
    lines: Range<usize>,
    /// Its first column in the result.
    left: usize,
    /// Its rows in the memory of the result.
    rows: Vec<&'a mut [f32]>,
}

impl Tile<'_> {
    /// Computes the tile, adding the sections of `k` in `f64`.
    /// `concurrent_sums` sections are computed in parallel.
    fn fill(mut self, a: Lines, b: Lines, concurrent_sums: usize) {
        let (k, width) = (a.inner.len(), self.rows[0].len());
        if k <= MAX_F32_SUM {
            return self.sum(a, b, 0..k);
        }
        let size = self.rows.len() * width;
        let mut totals = vec![0.0; size];
        let sections: Vec<usize> = (0..k).step_by(MAX_F32_SUM).collect();
        let sum = |&from: &usize| {
            let mut sums = vec![0.0; size];
            let rows = sums.chunks_mut(width).collect();
            let mut tile =
                Tile { lines: self.lines.clone(), left: self.left, rows };
            tile.sum(a, b, from..k.min(from + MAX_F32_SUM));
            sums
        };
        for sections in sections.chunks(concurrent_sums) {
            let mut section_sums = vec![vec![]; sections.len()];
            let tasks = sections.iter().zip(&mut section_sums);
            let fill = |(from, sums): (_, &mut _)| *sums = sum(from);
            parallel_for(concurrent_sums, tasks, fill);
            for sums in section_sums {
                let pairs = totals.iter_mut().zip(sums);
                pairs.for_each(|(total, x)| *total += f64::from(x));
            }
        }
        for (row, totals) in self.rows.iter_mut().zip(totals.chunks(width)) {
            let pairs = row.iter_mut().zip(totals);
            pairs.for_each(|(x, total)| *x = *total as f32);
        }
    }

    /// Computes the sums over a section of `k`.
    fn sum(&mut self, a: Lines, b: Lines, ks: Range<usize>) {
        thread_local! {
            static PANELS: RefCell<Vec<f32>> = const { RefCell::new(vec![]) };
        }
        let columns = self.left..self.left + self.rows[0].len();
        let lines = [a.lines.list(self.lines.clone()), b.lines.list(columns)];
        let inner = [a.inner.list(ks.clone()), b.inner.list(ks)];
        let [a, b] = [(a, 0), (b, 1)].map(|(side, i)| Submatrix {
            values: side.values,
            start: side.start,
            lines: &lines[i],
            inner: &inner[i],
        });
        if let [row] = &mut self.rows[..]
            && count_runs(b.lines) == 1
        {
            return dispatch(Row { a, b, out: row });
        }
        // Taken out of the thread-local, so that the borrow is not held while
        // this thread runs a stolen task, which then allocates new panels.
        let mut panels = PANELS.take();
        let part = Part { a, b, rows: &mut self.rows, panels: &mut panels };
        dispatch(part);
        PANELS.set(panels);
    }
}

/// Runs `work` with the best SIMD instructions of this processor.
fn dispatch<W: WithSimd>(work: W) -> W::Output {
    let arch = Arch::new();
    // A page's engine with SIMD runs only in browsers that have it. A scalar
    // fallback would only make the download larger.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let Arch::Simd128(arch) = arch else {
        unreachable!("the page was compiled for SIMD")
    };
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return Simd::vectorize(arch, work);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    arch.dispatch(work)
}

/// The product of some lines of `a` and `b` over a section of `k`, computed on
/// one thread.
struct Part<'a, 'r> {
    a: Submatrix<'a>,
    b: Submatrix<'a>,
    rows: &'a mut [&'r mut [f32]],
    /// Scratch memory for packed panels.
    panels: &'a mut Vec<f32>,
}

impl WithSimd for Part<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lines = [self.a.lines.len(), self.b.lines.len()];
        let (runs, registers) = (count_runs(self.b.lines), S::REGISTER_COUNT);
        let shape = TileShape::new(lines, runs, registers, S::F32_LANES);
        let TileShape { height, is_double, is_direct } = shape;
        if is_double {
            self.run::<S, 2>(simd, height, is_direct)
        } else {
            self.run::<S, 1>(simd, height, is_direct)
        }
    }
}

impl Part<'_, '_> {
    /// Packs `PACK_DEPTH` elements of each line at a time and multiplies them,
    /// `height` rows by all columns at once.
    #[inline(always)]
    fn run<S: Simd, const N: usize>(
        self,
        simd: S,
        height: usize,
        is_direct: bool,
    ) {
        let Part { a, b, rows, panels } = self;
        let width = N * S::F32_LANES;
        let columns = columns(b.lines, width, is_direct);
        let depth =
            if is_direct { BLOCK } else { PACK_DEPTH }.min(a.inner.len());
        let steps: Vec<usize> = (0..depth).map(|p| p * width).collect();
        let reads_in_place = reads_in_place(columns.len(), count_runs(a.inner));
        let packed = if reads_in_place { &[] } else { a.lines };
        let strips =
            packed.len().div_ceil(height) * Panels::size(height, depth);
        let wide = columns.len() * Panels::size(width, depth);
        panels.resize(panels.len().max(CACHE_LINE + wide + strips), 0.0);
        let first = panels.as_ptr().align_offset(CACHE_LINE * size_of::<f32>());
        let (right, left) = panels[first.min(CACHE_LINE)..].split_at_mut(wide);
        let left = &mut left[..strips];
        let mut left = Panels::new(left, packed, height, depth);
        let packed = if is_direct { &[] } else { b.lines };
        let mut right = Panels::new(right, packed, width, depth);
        for from in (0..a.inner.len()).step_by(depth) {
            let inner = from..a.inner.len().min(from + depth);
            let a = Submatrix { inner: &a.inner[inner.clone()], ..a };
            let b = Submatrix { inner: &b.inner[inner], ..b };
            if !reads_in_place {
                left.pack(a);
            }
            if !is_direct {
                right.pack(b);
            }
            // A loop instead of a closure: a closure would not be compiled
            // with the instructions of `S`.
            let mut sources: Vec<Submatrix> = Vec::with_capacity(columns.len());
            for (column, panel) in columns.iter().zip(right.iter_mut()) {
                let lines = &b.lines[column.clone()];
                let in_place = b.offset_by(lines[0]);
                if is_direct && in_place.can_load(width) {
                    sources.push(in_place);
                    continue;
                }
                if is_direct {
                    b.pack(lines, width, panel);
                }
                let inner = &steps[..b.inner.len()];
                sources.push(Submatrix { values: panel, start: 0, inner, ..b });
            }
            let mut panels = left.iter_mut();
            let (first, all) = (from == 0, (&columns[..], &sources[..]));
            let lines = a.lines.chunks(height);
            for (rows, lines) in rows.chunks_mut(height).zip(lines) {
                let left = match panels.next() {
                    Some(panel) => Lhs::Panel(panel),
                    None => Lhs::Rows(Submatrix { lines, ..a }),
                };
                let (out, b) = ((rows, first), all);
                match height {
                    1 => strip::<S, 1, N>(simd, left, b, out),
                    2 => strip::<S, 2, N>(simd, left, b, out),
                    4 => strip::<S, 4, N>(simd, left, b, out),
                    6 => strip::<S, 6, N>(simd, left, b, out),
                    // Only tiles of up to six rows fit into fewer registers;
                    // do not instantiate larger ones.
                    _ if const { S::REGISTER_COUNT < MANY_REGISTERS } => {
                        unreachable!("six rows at most")
                    }
                    8 => strip::<S, 8, N>(simd, left, b, out),
                    _ => strip::<S, 12, N>(simd, left, b, out),
                }
            }
        }
    }
}

/// Multiplies `H` rows of `a` by all columns.
#[inline(always)]
fn strip<S: Simd, const H: usize, const N: usize>(
    simd: S,
    left: Lhs,
    b: (&[Range<usize>], &[Submatrix]),
    out: (&mut [&mut [f32]], bool),
) {
    match left {
        Lhs::Panel(panel) => {
            tiles::<S, H, N, _>(simd, panel.as_chunks::<H>().0, b, out);
        }
        Lhs::Rows(a) => {
            let rows: [&[f32]; H] = std::array::from_fn(|i| {
                // Past the end, repeat the last row; its sums are discarded.
                let line = a.lines[i.min(a.lines.len() - 1)];
                a.row(line, a.inner)
            });
            tiles::<S, H, N, _>(simd, rows, b, out);
        }
    }
}

/// Adds the products of each block of `k` to the tiles of all columns. `first`
/// is true if the tiles have no sums yet.
#[inline(always)]
fn tiles<S: Simd, const H: usize, const N: usize, A: LhsPanel<H>>(
    simd: S,
    a: A,
    (columns, sources): (&[Range<usize>], &[Submatrix]),
    (rows, mut first): (&mut [&mut [f32]], bool),
) {
    let Some(depth) = sources.first().map(|b| b.inner.len()) else {
        return;
    };
    for p in (0..depth).step_by(BLOCK) {
        let block = p..depth.min(p + BLOCK);
        let a = a.slice(block.clone());
        for (column, b) in columns.iter().zip(sources) {
            let b = &Submatrix { inner: &b.inner[block.clone()], ..*b };
            let mut out = Out { rows, column: column.clone(), first };
            tile::<S, H, N, _>(simd, a, b, &mut out);
        }
        first = false;
    }
}

/// Divides the columns into tiles of at most `width`. If columns are read in
/// place, the columns of a tile are contiguous in memory.
fn columns(
    lines: &[usize],
    width: usize,
    is_direct: bool,
) -> Vec<Range<usize>> {
    let mut columns = Vec::with_capacity(lines.len().div_ceil(width));
    let mut cut = |row: Range<usize>| {
        let tiles = row.clone().step_by(width);
        columns.extend(tiles.map(|i| i..row.end.min(i + width)));
    };
    if !is_direct {
        cut(0..lines.len());
        return columns;
    }
    let mut done = 0;
    for row in runs(lines) {
        cut(done..done + row.len());
        done += row.len();
    }
    columns
}

#[cfg(test)]
mod tests;
