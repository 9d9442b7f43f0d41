//! The product of matrices on the processor, for every part that has one.
//!
//! An element is a sum of products along `k`, added up in blocks, so that no
//! sum becomes a long chain. Wherever the matrices are cut for threads,
//! caches and registers, it is the same sum in the same order: no number of
//! threads and no other row changes a bit.
//!
//! Reading order: [`Lines`], what is multiplied; [`product`]; a part of it on
//! one thread, [`Part`]; and [`tile`], which multiplies.

mod vector;

use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use self::vector::vector;

/// So many products are added up in `f32`.
const BLOCK: usize = 128;
/// So many again, block by block. The sums of those are added up in `f64`.
const LONG: usize = 16 * BLOCK;
/// From this many products on the threads share them.
pub(crate) const SHARED: usize = 1 << 20;
/// A part is at most so large, that a block of it stays in the caches.
const MOST: [usize; 2] = [512, 512];

/// The rows of the left matrix, or the columns of the right one: number `p`
/// of a line lies at `start + lines[..] + inner[p]`, modulo 2^64. So a line
/// may be anything that a view can show, the windows of an image too.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    /// The memory.
    pub(crate) values: &'a [f32],
    /// Where the first line begins.
    pub(crate) start: usize,
    /// How far from there each line begins.
    pub(crate) lines: &'a [usize],
    /// How far from its beginning each number of a line lies.
    pub(crate) inner: &'a [usize],
}

/// Says whether threads share so many products. A single one would have to be
/// woken for what the caller can do itself.
pub(crate) fn is_shared(products: usize) -> bool {
    products >= SHARED && rayon::current_num_threads() > 1
}

/// Writes each line of `a` times each line of `b` into rows of `out`: an
/// element for each line of `b`. The lines are of one length, and there are
/// some.
pub(crate) fn product(a: Lines, b: Lines, out: &mut [f32]) {
    let (m, n, k) = (a.lines.len(), b.lines.len(), a.inner.len());
    if n == 1 && is_row(a.inner) {
        return vector(a, b, out);
    }
    // A row is as good as a column, and here it is read in order.
    if n == 1 && m > 1 {
        return product(b, a, out);
    }
    let threads = match is_shared(m * n * k) {
        true => rayon::current_num_threads(),
        false => 1,
    };
    let [high, wide] = cut(m, n, threads);
    let parts = m.div_ceil(high) * n.div_ceil(wide);
    let mut tiles: Vec<Tile> = Vec::with_capacity(parts);
    for (i, strip) in out.chunks_mut(high * n).enumerate() {
        let lines = i * high..i * high + strip.len() / n;
        let mut rows: Vec<&mut [f32]> = strip.chunks_mut(n).collect();
        for left in (0..n).step_by(wide) {
            let rows = match wide < n {
                true => rows.iter_mut().map(|row| take(row, wide)).collect(),
                false => std::mem::take(&mut rows),
            };
            tiles.push(Tile { lines: lines.clone(), left, rows });
        }
    }
    let spread = parts < threads;
    match threads {
        1 => tiles.into_iter().for_each(|t| t.fill(a, b, false)),
        _ => tiles.into_par_iter().for_each(|t| t.fill(a, b, spread)),
    }
}

/// Returns the first numbers of a row, which then begins behind them.
fn take<'a>(row: &mut &'a mut [f32], most: usize) -> &'a mut [f32] {
    let length = most.min(row.len());
    row.split_off_mut(..length).expect("as long")
}

/// Says how large parts are: such that the threads have as little to do, one
/// after another, as can be. What is packed for a part counts as well.
fn cut(m: usize, n: usize, threads: usize) -> [usize; 2] {
    let [high, wide] = [m.div_ceil(MOST[0]), n.div_ceil(MOST[1])];
    let parts = (high..high + threads)
        .flat_map(|high| (wide..wide + threads).map(move |wide| [high, wide]));
    let time = |&[r, c]: &[usize; 2]| {
        let [high, wide] = [m.div_ceil(r), n.div_ceil(c)];
        let part = high * wide + 32 * high + 8 * wide;
        (r * c).div_ceil(threads) * part
    };
    let [r, c] = parts.min_by_key(time).expect("at least one");
    // A width of whole registers, as far as there is one.
    [m.div_ceil(r), n.div_ceil(c).next_multiple_of(32).min(n)]
}

/// A part of the result: some rows of it, from a column on.
struct Tile<'a> {
    lines: Range<usize>,
    left: usize,
    rows: Vec<&'a mut [f32]>,
}

impl Tile<'_> {
    /// Returns the sums along all of `k`. Blocks of 128 products are added up,
    /// then 16 such sums, and the sums of those in `f64`.
    fn fill(mut self, a: Lines, b: Lines, spread: bool) {
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
        let many = if spread { rayon::current_num_threads() } else { 1 };
        for longs in longs.chunks(many) {
            let sums: Vec<Vec<f32>> = match spread {
                true => longs.par_iter().map(sum).collect(),
                false => longs.iter().map(sum).collect(),
            };
            for sums in sums {
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
        let wide = self.rows[0].len();
        let a = Lines { lines: &a.lines[self.lines.clone()], ..a };
        let b = Lines { lines: &b.lines[self.left..self.left + wide], ..b };
        // Work that this thread has stolen meanwhile finds no panels.
        let mut panels = PANELS.take();
        let part = Part { a, b, ks, rows: &mut self.rows, panels: &mut panels };
        Arch::new().dispatch(part);
        PANELS.set(panels);
    }
}

/// Some lines by some lines along a part of `k`, on one thread.
struct Part<'a, 'r> {
    a: Lines<'a>,
    b: Lines<'a>,
    ks: Range<usize>,
    rows: &'a mut [&'r mut [f32]],
    /// Memory for what is packed.
    panels: &'a mut Vec<f32>,
}

impl WithSimd for Part<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let most = if S::REGISTER_COUNT < 32 { 6 } else { 12 };
        let strips = self.a.lines.len().div_ceil(most);
        let height = self.a.lines.len().div_ceil(strips);
        let steps = self.b.lines.array_windows();
        let runs = 1 + steps.filter(|[x, y]| x.wrapping_add(1) != *y).count();
        // What is read once or twice, and lies in a row, is not laid out.
        let run = self.b.lines.len() / runs;
        let is_direct = strips <= 2 && 2 * run >= S::F32_LANES;
        let run = if is_direct { run } else { self.b.lines.len() };
        match run > S::F32_LANES {
            true => self.run::<S, 2>(simd, height, is_direct),
            false => self.run::<S, 1>(simd, height, is_direct),
        }
    }
}

impl Part<'_, '_> {
    /// Multiplies block by block along `k`: the numbers of `b` are laid out for
    /// all tiles of the part, those of `a` for a row of tiles.
    #[inline(always)]
    fn run<S: Simd, const N: usize>(
        self,
        simd: S,
        height: usize,
        is_direct: bool,
    ) {
        let Part { a, b, ks, rows, panels } = self;
        let height = [1, 2, 4, 6, 8, 12].into_iter().find(|&h| h >= height);
        let height = height.expect("at most 12");
        let width = N * S::F32_LANES;
        let columns = columns(b.lines, width, is_direct);
        let steps: [usize; BLOCK] = std::array::from_fn(|p| p * width);
        let needed = BLOCK * (height + width * columns.len());
        panels.resize(panels.len().max(needed), 0.0);
        let (left, right) = panels.split_at_mut(BLOCK * height);
        for from in ks.clone().step_by(BLOCK) {
            let inner = from..ks.end.min(from + BLOCK);
            let (a, b) = (a.along(inner.clone()), b.along(inner.clone()));
            let panels = right.chunks_mut(BLOCK * width);
            // A closure would not be compiled for these instructions.
            let mut sources: Vec<Lines> = Vec::with_capacity(columns.len());
            for (column, panel) in columns.iter().zip(panels) {
                let lines = &b.lines[column.clone()];
                let straight = b.from(lines[0]);
                if is_direct && straight.reaches(width) {
                    sources.push(straight);
                    continue;
                }
                b.lay(lines, width, panel);
                sources.push(Lines {
                    values: panel,
                    start: 0,
                    inner: &steps,
                    ..b
                });
            }
            let first = from == ks.start;
            for (i, rows) in rows.chunks_mut(height).enumerate() {
                a.lay(&a.lines[i * height..][..rows.len()], height, left);
                for (column, b) in columns.iter().zip(&sources) {
                    let left = &left[..inner.len() * height];
                    let out = Out { rows, column: column.clone(), first };
                    match height {
                        1 => tile::<S, 1, N>(simd, left, b, out),
                        2 => tile::<S, 2, N>(simd, left, b, out),
                        4 => tile::<S, 4, N>(simd, left, b, out),
                        6 => tile::<S, 6, N>(simd, left, b, out),
                        8 => tile::<S, 8, N>(simd, left, b, out),
                        _ => tile::<S, 12, N>(simd, left, b, out),
                    }
                }
            }
        }
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

/// Says whether these places are neighbors.
fn is_row(places: &[usize]) -> bool {
    places.array_windows().all(|[x, y]| x.wrapping_add(1) == *y)
}

/// Divides places into such rows.
fn rows(places: &[usize]) -> impl Iterator<Item = &[usize]> {
    places.chunk_by(|x, y| x.wrapping_add(1) == *y)
}

impl<'a> Lines<'a> {
    /// Returns the same lines, a part of each.
    fn along(self, inner: Range<usize>) -> Lines<'a> {
        Lines { inner: &self.inner[inner], ..self }
    }

    /// Returns the numbers from a line on.
    fn from(self, line: usize) -> Lines<'a> {
        Lines { start: self.start.wrapping_add(line), ..self }
    }

    /// Says whether all places have so many numbers in a row.
    fn reaches(self, width: usize) -> bool {
        let last = self.values.len().saturating_sub(width);
        let ends = |p: &usize| self.start.wrapping_add(*p) <= last;
        self.values.len() >= width && self.inner.iter().all(ends)
    }

    /// Lays some lines out, (k, width): for each place along `k` a number of
    /// each line. What stands behind them in a panel is never looked at.
    #[inline(always)]
    fn lay(self, lines: &[usize], width: usize, panel: &mut [f32]) {
        let length = self.inner.len();
        let at = |line: usize, p: usize| {
            self.start.wrapping_add(line).wrapping_add(p)
        };
        let mut panel = &mut panel[..length * width];
        if 4 * rows(lines).count() <= lines.len() {
            for (to, p) in panel.chunks_exact_mut(width).zip(self.inner) {
                let mut to = &mut to[..lines.len()];
                for row in rows(lines) {
                    let here = to.split_off_mut(..row.len());
                    let from = &self.values[at(row[0], *p)..][..row.len()];
                    copy(from, here.expect("as long"));
                }
            }
        } else if 4 * rows(self.inner).count() <= length {
            for row in rows(self.inner) {
                let here = panel.split_off_mut(..row.len() * width);
                self.turn(lines, row, width, here.expect("as long"));
            }
        } else {
            for (to, p) in panel.chunks_exact_mut(width).zip(self.inner) {
                let numbers = lines.iter().map(|&l| self.values[at(l, *p)]);
                to.iter_mut().zip(numbers).for_each(|(to, x)| *to = x);
            }
        }
    }

    /// Does the same where the numbers of a line lie in a row.
    #[inline(always)]
    fn turn(
        self,
        lines: &[usize],
        row: &[usize],
        width: usize,
        panel: &mut [f32],
    ) {
        let (fours, rest) = lines.as_chunks::<4>();
        for (i, [a, b, c, d]) in fours.iter().enumerate() {
            let four = [
                self.row(*a, row),
                self.row(*b, row),
                self.row(*c, row),
                self.row(*d, row),
            ];
            transpose(four, 4 * i, width, panel);
        }
        for (i, line) in rest.iter().enumerate() {
            let to = panel.chunks_exact_mut(width);
            for (to, x) in to.zip(self.row(*line, row)) {
                to[4 * fours.len() + i] = *x;
            }
        }
    }

    /// Returns the numbers of a line at some places in a row.
    #[inline(always)]
    fn row(self, line: usize, row: &[usize]) -> &'a [f32] {
        let at = self.start.wrapping_add(line).wrapping_add(row[0]);
        &self.values[at..][..row.len()]
    }
}

/// Copies a few numbers; a call would take longer than the copy.
#[inline(always)]
fn copy(from: &[f32], to: &mut [f32]) {
    let (from, rest) = from.as_chunks::<8>();
    let (to, to_rest) = to.as_chunks_mut::<8>();
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}

/// Writes four rows into columns of a panel, from a column on, in squares.
#[inline(always)]
fn transpose(
    rows: [&[f32]; 4],
    column: usize,
    width: usize,
    panel: &mut [f32],
) {
    let [a, b, c, d] = rows;
    let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    let (c, d) = (c.as_chunks::<4>().0, d.as_chunks::<4>().0);
    let squares = a.iter().zip(b).zip(c).zip(d);
    for (to, (((a, b), c), d)) in panel.chunks_exact_mut(4 * width).zip(squares)
    {
        for q in 0..4 {
            let four = [a[q], b[q], c[q], d[q]];
            to[q * width + column..][..4].copy_from_slice(&four);
        }
    }
    let done = rows[0].len() / 4 * 4;
    for (q, to) in panel.chunks_exact_mut(width).enumerate().skip(done) {
        for (to, row) in to[column..].iter_mut().zip(rows) {
            *to = row[q];
        }
    }
}

/// Where the sums of a tile go: into rows, or to what is there.
struct Out<'a, 'r> {
    rows: &'a mut [&'r mut [f32]],
    column: Range<usize>,
    first: bool,
}

// ANCHOR: tile
/// Returns the innermost loops. H rows by N registers of columns are H * N
/// registers of sums, which stay where they are while `k` goes by.
#[inline(always)]
fn tile<S: Simd, const H: usize, const N: usize>(
    simd: S,
    a: &[f32],
    b: &Lines,
    out: Out,
) {
    let mut sums = [[simd.splat_f32s(0.0); N]; H];
    for (a, p) in a.as_chunks::<H>().0.iter().zip(b.inner) {
        let at = b.start.wrapping_add(*p);
        let (b, _) = S::as_simd_f32s(&b.values[at..at + N * S::F32_LANES]);
        for i in 0..H {
            let a = simd.splat_f32s(a[i]);
            for j in 0..N {
                sums[i][j] = simd.mul_add_e_f32s(a, b[j], sums[i][j]);
            }
        }
    }
    // ANCHOR_END: tile
    for (row, sums) in out.rows.iter_mut().zip(sums) {
        let row = &mut row[out.column.clone()];
        match S::as_mut_simd_f32s(row) {
            (row, []) if row.len() == N => {
                for (row, sum) in row.iter_mut().zip(sums) {
                    *row = match out.first {
                        true => sum,
                        false => simd.add_f32s(*row, sum),
                    };
                }
            }
            // The end of a row fills no register.
            _ => {
                let pieces = row.chunks_mut(S::F32_LANES);
                for (row, sum) in pieces.zip(sums) {
                    let sum = match out.first {
                        true => sum,
                        false => {
                            simd.add_f32s(simd.partial_load_f32s(row), sum)
                        }
                    };
                    simd.partial_store_f32s(row, sum);
                }
            }
        }
    }
}
