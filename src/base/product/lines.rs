//! What is multiplied: lines of numbers, wherever they lie, and how they are
//! laid out for registers.

use std::borrow::Cow;
use std::ops::Range;

/// Places in memory, modulo 2^64: so that a place may be a way back, too.
#[derive(Clone, Copy)]
pub(crate) enum Places<'a> {
    /// So many, evenly spaced from 0 on.
    Even { count: usize, step: usize },
    /// In any order, as a view of Part 3 may show them.
    #[cfg_attr(not(feature = "opencl"), expect(dead_code))]
    Listed(&'a [usize]),
}

impl<'a> Places<'a> {
    /// Makes places that are so many steps apart, from 0 on.
    pub(crate) fn even(count: usize, step: isize) -> Places<'a> {
        Places::Even { count, step: step as usize }
    }

    /// Counts them.
    pub(crate) fn len(self) -> usize {
        match self {
            Places::Even { count, .. } => count,
            Places::Listed(places) => places.len(),
        }
    }

    /// Returns one of them.
    #[inline(always)]
    pub(crate) fn at(self, i: usize) -> usize {
        match self {
            Places::Even { step, .. } => step.wrapping_mul(i),
            Places::Listed(places) => places[i],
        }
    }

    /// Says whether they are neighbors.
    pub(super) fn is_row(self) -> bool {
        match self {
            Places::Even { count, step } => count <= 1 || step == 1,
            Places::Listed(places) => count_rows(places) == 1,
        }
    }

    /// Lists some of them.
    pub(super) fn list(self, some: Range<usize>) -> Cow<'a, [usize]> {
        match self {
            Places::Even { step, .. } => {
                some.map(|i| step.wrapping_mul(i)).collect()
            }
            Places::Listed(places) => Cow::Borrowed(&places[some]),
        }
    }
}

/// The rows of the left matrix, or the columns of the right one: number `p`
/// of a line lies at `start + lines[..] + inner[p]`. So a line may be anything
/// that a view can show, the windows of an image too.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a, T = f32> {
    /// The memory.
    pub(crate) values: &'a [T],
    /// Where the first line begins.
    pub(crate) start: usize,
    /// How far from there each line begins.
    pub(crate) lines: Places<'a>,
    /// How far from its beginning each number of a line lies.
    pub(crate) inner: Places<'a>,
}

/// Counts the rows of neighbors into which places fall.
pub(super) fn count_rows(places: &[usize]) -> usize {
    let steps = places.array_windows();
    1 + steps.filter(|[x, y]| x.wrapping_add(1) != *y).count()
}

/// Divides places into such rows.
pub(super) fn rows(places: &[usize]) -> impl Iterator<Item = &[usize]> {
    places.chunk_by(|x, y| x.wrapping_add(1) == *y)
}

/// Some lines, and some numbers of each, whose places are listed.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) values: &'a [f32],
    pub(super) start: usize,
    pub(super) lines: &'a [usize],
    pub(super) inner: &'a [usize],
}

impl<'a> Listed<'a> {
    /// Returns the numbers from a line on.
    pub(super) fn from(self, line: usize) -> Listed<'a> {
        Listed { start: self.start.wrapping_add(line), ..self }
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
        if is_level(lines) {
            for (to, p) in panel.chunks_exact_mut(width).zip(self.inner) {
                let mut to = &mut to[..lines.len()];
                for row in rows(lines) {
                    let here = to.split_off_mut(..row.len());
                    let from = &self.values[at(row[0], *p)..][..row.len()];
                    copy(from, here.expect("as long"));
                }
            }
        } else if is_level(self.inner) {
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
    pub(super) fn row(self, line: usize, row: &[usize]) -> &'a [f32] {
        let at = self.start.wrapping_add(line).wrapping_add(row[0]);
        &self.values[at..][..row.len()]
    }
}

/// Says whether places lie in rows, of four at least, so that they are best
/// copied side by side.
fn is_level(places: &[usize]) -> bool {
    4 * count_rows(places) <= places.len()
}

/// From a panel to the next there are so many numbers more: no power of two,
/// so that not all begin at the same place of a cache.
const APART: usize = 16;

/// The memory in which lines are laid out: a panel for each `width` of them.
pub(super) struct Panels<'a> {
    memory: &'a mut [f32],
    width: usize,
    /// From a panel to the next.
    size: usize,
    /// Where rows of lines go, if lines lie in rows.
    runs: Vec<Run>,
    /// Whether each panel is one of them.
    is_whole: bool,
}

/// Lines in a row that go to one panel, from a place on.
struct Run {
    line: usize,
    length: usize,
    to: usize,
}

impl<'a> Panels<'a> {
    /// Counts the numbers of a panel for `deep` numbers of each line.
    pub(super) fn size(width: usize, deep: usize) -> usize {
        deep * width + APART
    }

    /// Divides memory into panels for `deep` numbers of each line.
    pub(super) fn new(
        memory: &'a mut [f32],
        lines: &[usize],
        width: usize,
        deep: usize,
    ) -> Panels<'a> {
        let (size, mut runs) = (Panels::size(width, deep), vec![]);
        if is_level(lines) {
            for (panel, lines) in lines.chunks(width).enumerate() {
                let mut to = panel * size;
                for row in rows(lines) {
                    runs.push(Run { line: row[0], length: row.len(), to });
                    to += row.len();
                }
            }
        }
        let is_whole = runs.len() == lines.len().div_ceil(width);
        Panels { memory, width, size, runs, is_whole }
    }

    /// Lays all lines out: rows of them as they lie in memory, through all
    /// panels, before the next place along `k`.
    #[inline(always)]
    pub(super) fn lay(&mut self, side: Listed) {
        if self.runs.is_empty() {
            let panels = self.memory.chunks_mut(self.size);
            for (lines, panel) in side.lines.chunks(self.width).zip(panels) {
                side.lay(lines, self.width, panel);
            }
            return;
        }
        match (self.is_whole, self.width) {
            (true, 0..=8) => self.lay_rows::<8>(side),
            (true, 9..=16) => self.lay_rows::<16>(side),
            (true, 17..=32) => self.lay_rows::<32>(side),
            _ => self.lay_rows::<0>(side),
        }
    }

    /// Copies `WIDE` numbers at once, unless that is 0, where there are so many:
    /// those behind a row lie where others come next, or where nobody looks.
    #[inline(always)]
    fn lay_rows<const WIDE: usize>(&mut self, side: Listed) {
        for (i, p) in side.inner.iter().enumerate() {
            let at = side.start.wrapping_add(*p);
            for run in &self.runs {
                let from = &side.values[at.wrapping_add(run.line)..];
                let to = &mut self.memory[run.to + i * self.width..];
                match from.first_chunk::<WIDE>().zip(to.first_chunk_mut()) {
                    Some((from, to)) if WIDE > 0 => *to = *from,
                    _ => copy(&from[..run.length], &mut to[..run.length]),
                }
            }
        }
    }

    /// Returns each panel.
    pub(super) fn each(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.memory.chunks_mut(self.size)
    }
}

/// Copies a few numbers, four at a time.
#[inline(always)]
fn copy(from: &[f32], to: &mut [f32]) {
    let (fours, rest) = from.as_chunks::<4>();
    let (to, to_rest) = to.as_chunks_mut::<4>();
    to.iter_mut().zip(fours).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}

/// Writes four rows into columns of a panel, from a column on, in squares.
#[inline(always)]
pub(crate) fn transpose(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_four_are_level() {
        assert!(is_level(&[5, 6, 7, 8]) && !is_level(&[5, 6, 7]));
        assert!(is_level(&[0, 1, 2, 3, 9, 10, 11, 12]));
        assert!(!is_level(&[0, 1, 2, 3, 9, 10, 11, 13]));
    }
}
