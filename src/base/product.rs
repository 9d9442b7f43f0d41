//! The product of matrices on the processor, for every part that has one.
//!
//! An element is a sum of products along `k`, added up in blocks, so that no
//! sum becomes a long chain. Wherever the matrices are cut for threads,
//! caches and registers, it is the same sum in the same order: no number of
//! threads and no other row changes a bit.
//!
//! Reading order: [`Lines`], what is multiplied; [`product`]; a part of it on
//! one thread, [`Part`]; [`tile`], which multiplies what `left` hands it; and
//! `vector` and `row`, which walk through a matrix that is used once.

mod cut;
mod left;
mod lines;
mod row;
mod tile;
mod vector;

use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

#[cfg(test)]
pub(crate) use self::cut::SHARED;
#[cfg(feature = "opencl")]
pub(crate) use self::cut::is_shared;
use self::cut::{Cut, Filling, MANY, is_read, threads};
use self::left::{Left, Numbers};
#[cfg(feature = "opencl")]
pub(crate) use self::lines::transpose;
pub(crate) use self::lines::{Lines, Places};
use self::lines::{Listed, Panels, count_rows, rows};
use self::row::Row;
use self::tile::{Out, tile};
use self::vector::vector;
use super::share::share;

/// So many products are added up in `f32`.
const BLOCK: usize = 128;
/// So many again, block by block. The sums of those are added up in `f64`.
const LONG: usize = 16 * BLOCK;
/// As many numbers as a line of a cache has: a register's worth that lies in
/// two of them takes longer.
const LINE: usize = 16;
/// So many numbers of a line are laid out at a time.
const DEEP: usize = 2 * BLOCK;

/// Writes each line of `a` times each line of `b` into rows of `out`: an
/// element for each line of `b`. The lines are of one length, and there are
/// some.
pub(crate) fn product(a: Lines, b: Lines, out: &mut [f32]) {
    let (m, n, k) = (a.lines.len(), b.lines.len(), a.inner.len());
    if n == 1 && a.inner.is_row() {
        return vector(a, b, out);
    }
    // A row is as good as a column, and here it is read in order.
    if n == 1 && m > 1 {
        return product(b, a, out);
    }
    let cut = Cut::new([m, n, k], threads(m * n * k));
    let (Cut { is_shared, at_once, .. }, [heights, widths]) =
        (cut, cut.lengths(m, n));
    let parts = heights.len() * widths.len();
    let mut tiles: Vec<Tile> = Vec::with_capacity(parts);
    let (mut from, mut rest) = (0, out);
    for high in heights {
        let (strip, others) = rest.split_at_mut(high * n);
        let mut rows: Vec<&mut [f32]> = strip.chunks_mut(n).collect();
        let mut left = 0;
        for wide in &widths {
            let rows = match *wide < n {
                true => rows.iter_mut().map(|row| take(row, *wide)).collect(),
                false => std::mem::take(&mut rows),
            };
            tiles.push(Tile { lines: from..from + high, left, rows });
            left += wide;
        }
        (from, rest) = (from + high, others);
    }
    match is_shared {
        true => share(tiles.into_iter(), |t| t.fill(a, b, at_once)),
        false => tiles.into_iter().for_each(|t| t.fill(a, b, at_once)),
    }
}

/// Returns the first numbers of a row, which then begins behind them.
fn take<'a>(row: &mut &'a mut [f32], most: usize) -> &'a mut [f32] {
    let length = most.min(row.len());
    row.split_off_mut(..length).expect("as long")
}

/// A part of the result: some rows of it, from a column on.
struct Tile<'a> {
    lines: Range<usize>,
    left: usize,
    rows: Vec<&'a mut [f32]>,
}

impl Tile<'_> {
    /// Returns the sums along all of `k`. Blocks of 128 products are added up,
    /// then 16 such sums, and the sums of those in `f64`; of these, threads
    /// compute so many at once.
    fn fill(mut self, a: Lines, b: Lines, at_once: usize) {
        let (k, wide) = (a.inner.len(), self.rows[0].len());
        if k <= LONG {
            return self.sum(a, b, 0..k);
        }
        let size = self.rows.len() * wide;
        let mut totals = vec![0.0; size];
        let longs: Vec<usize> = (0..k).step_by(LONG).collect();
        let sum = |&from: &usize| {
            let mut sums = vec![0.0; size];
            let rows = sums.chunks_mut(wide).collect();
            let mut tile =
                Tile { lines: self.lines.clone(), left: self.left, rows };
            tile.sum(a, b, from..k.min(from + LONG));
            sums
        };
        for longs in longs.chunks(at_once) {
            let mut all = vec![vec![]; longs.len()];
            let works = longs.iter().zip(&mut all);
            match at_once > 1 {
                true => share(works, |(from, sums)| *sums = sum(from)),
                false => works.for_each(|(from, sums)| *sums = sum(from)),
            }
            for sums in all {
                let pairs = totals.iter_mut().zip(sums);
                pairs.for_each(|(total, x)| *total += f64::from(x));
            }
        }
        for (row, totals) in self.rows.iter_mut().zip(totals.chunks(wide)) {
            let pairs = row.iter_mut().zip(totals);
            pairs.for_each(|(x, total)| *x = *total as f32);
        }
    }

    /// Returns the sums along some of `k`.
    fn sum(&mut self, a: Lines, b: Lines, ks: Range<usize>) {
        thread_local! {
            static PANELS: RefCell<Vec<f32>> = const { RefCell::new(vec![]) };
        }
        let columns = self.left..self.left + self.rows[0].len();
        let lines = [a.lines.list(self.lines.clone()), b.lines.list(columns)];
        let inner = [a.inner.list(ks.clone()), b.inner.list(ks)];
        let [a, b] = [(a, 0), (b, 1)].map(|(side, i)| Listed {
            values: side.values,
            start: side.start,
            lines: &lines[i],
            inner: &inner[i],
        });
        if let [row] = &mut self.rows[..]
            && count_rows(b.lines) == 1
        {
            return dispatch(Row { a, b, out: row });
        }
        // Work that this thread has stolen meanwhile finds no panels.
        let mut panels = PANELS.take();
        let part = Part { a, b, rows: &mut self.rows, panels: &mut panels };
        dispatch(part);
        PANELS.set(panels);
    }
}

/// Works with the instructions that this processor has.
fn dispatch<W: WithSimd>(work: W) -> W::Output {
    let found = Arch::new();
    // They are known when a page's engine is compiled, and a second loop for
    // browsers without them would only make it longer.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let Arch::Simd128(found) = found else {
        unreachable!("the page was compiled for them")
    };
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return Simd::vectorize(found, work);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    found.dispatch(work)
}

/// Some lines by some lines along a part of `k`, on one thread.
struct Part<'a, 'r> {
    a: Listed<'a>,
    b: Listed<'a>,
    rows: &'a mut [&'r mut [f32]],
    /// Memory for what is packed.
    panels: &'a mut Vec<f32>,
}

impl WithSimd for Part<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lines = [self.a.lines.len(), self.b.lines.len()];
        let (rows, registers) = (count_rows(self.b.lines), S::REGISTER_COUNT);
        let filling = Filling::new(lines, rows, registers, S::F32_LANES);
        let Filling { height, is_double, is_direct } = filling;
        match is_double {
            true => self.run::<S, 2>(simd, height, is_direct),
            false => self.run::<S, 1>(simd, height, is_direct),
        }
    }
}

impl Part<'_, '_> {
    /// Lays out a part of each line, and multiplies strip by strip.
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
        let deep = if is_direct { BLOCK } else { DEEP }.min(a.inner.len());
        let steps: Vec<usize> = (0..deep).map(|p| p * width).collect();
        let is_read = is_read(columns.len(), count_rows(a.inner));
        let laid = if is_read { &[] } else { a.lines };
        let strips = laid.len().div_ceil(height) * Panels::size(height, deep);
        let wide = columns.len() * Panels::size(width, deep);
        panels.resize(panels.len().max(LINE + wide + strips), 0.0);
        let first = panels.as_ptr().align_offset(LINE * size_of::<f32>());
        let (right, left) = panels[first.min(LINE)..].split_at_mut(wide);
        let left = &mut left[..strips];
        let mut left = Panels::new(left, laid, height, deep);
        let laid = if is_direct { &[] } else { b.lines };
        let mut right = Panels::new(right, laid, width, deep);
        for from in (0..a.inner.len()).step_by(deep) {
            let inner = from..a.inner.len().min(from + deep);
            let a = Listed { inner: &a.inner[inner.clone()], ..a };
            let b = Listed { inner: &b.inner[inner], ..b };
            if !is_read {
                left.lay(a);
            }
            if !is_direct {
                right.lay(b);
            }
            // A closure would not be compiled for these instructions.
            let mut sources: Vec<Listed> = Vec::with_capacity(columns.len());
            for (column, panel) in columns.iter().zip(right.each()) {
                let lines = &b.lines[column.clone()];
                let straight = b.from(lines[0]);
                if is_direct && straight.reaches(width) {
                    sources.push(straight);
                    continue;
                }
                if is_direct {
                    b.lay(lines, width, panel);
                }
                let inner = &steps[..b.inner.len()];
                sources.push(Listed { values: panel, start: 0, inner, ..b });
            }
            let mut panels = left.each();
            let (first, all) = (from == 0, (&columns[..], &sources[..]));
            let lines = a.lines.chunks(height);
            for (rows, lines) in rows.chunks_mut(height).zip(lines) {
                let left = match panels.next() {
                    Some(panel) => Left::Panel(panel),
                    None => Left::Rows(Listed { lines, ..a }),
                };
                let (out, b) = ((rows, first), all);
                match height {
                    1 => strip::<S, 1, N>(simd, left, b, out),
                    2 => strip::<S, 2, N>(simd, left, b, out),
                    4 => strip::<S, 4, N>(simd, left, b, out),
                    6 => strip::<S, 6, N>(simd, left, b, out),
                    // Nobody compiles what fewer registers never take.
                    _ if const { S::REGISTER_COUNT < MANY } => {
                        unreachable!("six rows at most")
                    }
                    8 => strip::<S, 8, N>(simd, left, b, out),
                    _ => strip::<S, 12, N>(simd, left, b, out),
                }
            }
        }
    }
}

/// Multiplies some rows of the left side by all columns.
#[inline(always)]
fn strip<S: Simd, const H: usize, const N: usize>(
    simd: S,
    left: Left,
    b: (&[Range<usize>], &[Listed]),
    out: (&mut [&mut [f32]], bool),
) {
    match left {
        Left::Panel(panel) => {
            tiles::<S, H, N, _>(simd, panel.as_chunks::<H>().0, b, out);
        }
        Left::Rows(a) => {
            let rows: [&[f32]; H] = std::array::from_fn(|i| {
                // Behind the last one nobody looks at the sums.
                let line = a.lines[i.min(a.lines.len() - 1)];
                a.row(line, a.inner)
            });
            tiles::<S, H, N, _>(simd, rows, b, out);
        }
    }
}

/// Adds one block after the other to the tiles of all columns.
#[inline(always)]
fn tiles<S: Simd, const H: usize, const N: usize, A: Numbers<H>>(
    simd: S,
    a: A,
    (columns, sources): (&[Range<usize>], &[Listed]),
    (rows, mut first): (&mut [&mut [f32]], bool),
) {
    let Some(deep) = sources.first().map(|b| b.inner.len()) else {
        return;
    };
    for p in (0..deep).step_by(BLOCK) {
        let block = p..deep.min(p + BLOCK);
        let a = a.part(block.clone());
        for (column, b) in columns.iter().zip(sources) {
            let b = &Listed { inner: &b.inner[block.clone()], ..*b };
            let mut out = Out { rows, column: column.clone(), first };
            tile::<S, H, N, _>(simd, a, b, &mut out);
        }
        first = false;
    }
}

/// Returns the columns of each tile: so many as the registers are wide, or,
/// where they are read in place, those that lie in a row.
fn columns(
    lines: &[usize],
    width: usize,
    is_direct: bool,
) -> Vec<Range<usize>> {
    let mut columns = Vec::with_capacity(lines.len().div_ceil(width));
    let mut cut = |row: Range<usize>| {
        let tiles = row.clone().step_by(width);
        columns.extend(tiles.map(|at| at..row.end.min(at + width)));
    };
    if !is_direct {
        cut(0..lines.len());
        return columns;
    }
    let mut done = 0;
    for row in rows(lines) {
        cut(done..done + row.len());
        done += row.len();
    }
    columns
}

#[cfg(test)]
mod tests;
