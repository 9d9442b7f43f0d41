//! What is multiplied: lines of numbers, wherever they lie, and how they are
//! laid out for registers.

use std::ops::Range;

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

/// Says whether these places are neighbors.
pub(super) fn is_row(places: &[usize]) -> bool {
    places.array_windows().all(|[x, y]| x.wrapping_add(1) == *y)
}

/// Divides places into such rows.
pub(super) fn rows(places: &[usize]) -> impl Iterator<Item = &[usize]> {
    places.chunk_by(|x, y| x.wrapping_add(1) == *y)
}

impl<'a> Lines<'a> {
    /// Returns the same lines, a part of each.
    pub(super) fn along(self, inner: Range<usize>) -> Lines<'a> {
        Lines { inner: &self.inner[inner], ..self }
    }

    /// Returns the numbers from a line on.
    pub(super) fn from(self, line: usize) -> Lines<'a> {
        Lines { start: self.start.wrapping_add(line), ..self }
    }

    /// Says whether all places have so many numbers in a row.
    pub(super) fn reaches(self, width: usize) -> bool {
        let last = self.values.len().saturating_sub(width);
        let ends = |p: &usize| self.start.wrapping_add(*p) <= last;
        self.values.len() >= width && self.inner.iter().all(ends)
    }

    /// Lays some lines out, (k, width): for each place along `k` a number of
    /// each line. What stands behind them in a panel is never looked at.
    #[inline(always)]
    pub(super) fn lay(self, lines: &[usize], width: usize, panel: &mut [f32]) {
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

/// Copies a few numbers, eight at a time.
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
