//! The operands of a matrix multiplication: lines of elements at arbitrary
//! offsets, and how they are packed for SIMD loads.

use std::borrow::Cow;
use std::ops::Range;

/// A list of memory offsets in elements. Offsets wrap around, so a negative
/// offset is stored modulo 2^64.
#[derive(Clone, Copy)]
pub(crate) enum Offsets<'a> {
    /// `count` offsets, `step` apart, from 0 on.
    Even { count: usize, step: usize },
    /// Arbitrary offsets, as a view of Part 3 may have them.
    Listed(&'a [usize]),
}

impl<'a> Offsets<'a> {
    /// Creates `count` offsets, `step` apart, from 0 on.
    pub(crate) fn even(count: usize, step: isize) -> Offsets<'a> {
        Offsets::Even { count, step: step as usize }
    }

    /// Returns the number of offsets.
    pub(crate) fn len(self) -> usize {
        match self {
            Offsets::Even { count, .. } => count,
            Offsets::Listed(offsets) => offsets.len(),
        }
    }

    /// Returns the offset at index `i`.
    #[inline(always)]
    pub(crate) fn get(self, i: usize) -> usize {
        match self {
            Offsets::Even { step, .. } => step.wrapping_mul(i),
            Offsets::Listed(offsets) => offsets[i],
        }
    }

    /// Returns whether each offset is one more than the previous one.
    pub(super) fn is_contiguous(self) -> bool {
        match self {
            Offsets::Even { count, step } => count <= 1 || step == 1,
            Offsets::Listed(offsets) => count_runs(offsets) == 1,
        }
    }

    /// Lists the offsets of a range of indices.
    pub(super) fn list(self, range: Range<usize>) -> Cow<'a, [usize]> {
        match self {
            Offsets::Even { step, .. } => {
                range.map(|i| step.wrapping_mul(i)).collect()
            }
            Offsets::Listed(offsets) => Cow::Borrowed(&offsets[range]),
        }
    }
}

/// An operand: the rows of the left matrix or the columns of the right one.
/// Element `p` of line `i` is `values[start + lines[i] + inner[p]]`. A line
/// can be anything that a view can express, including the windows of an image.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a, T = f32> {
    /// The memory that holds the elements.
    pub(crate) values: &'a [T],
    /// The offset from which all other offsets count.
    pub(crate) start: usize,
    /// The offset of each line.
    pub(crate) lines: Offsets<'a>,
    /// The offset of each element within its line.
    pub(crate) inner: Offsets<'a>,
}

/// Counts the runs of consecutive offsets.
pub(super) fn count_runs(offsets: &[usize]) -> usize {
    let steps = offsets.array_windows();
    1 + steps.filter(|[x, y]| x.wrapping_add(1) != *y).count()
}

/// Divides offsets into runs of consecutive offsets.
pub(super) fn runs(offsets: &[usize]) -> impl Iterator<Item = &[usize]> {
    offsets.chunk_by(|x, y| x.wrapping_add(1) == *y)
}

/// Some lines of an operand over a range of `k`, with all offsets listed.
#[derive(Clone, Copy)]
pub(super) struct Submatrix<'a> {
    pub(super) values: &'a [f32],
    pub(super) start: usize,
    pub(super) lines: &'a [usize],
    pub(super) inner: &'a [usize],
}

impl<'a> Submatrix<'a> {
    /// Moves the start by an offset.
    pub(super) fn offset_by(self, line: usize) -> Submatrix<'a> {
        Submatrix { start: self.start.wrapping_add(line), ..self }
    }

    /// Returns whether `width` consecutive elements can be loaded at every
    /// inner offset without leaving the memory.
    pub(super) fn can_load(self, width: usize) -> bool {
        let last = self.values.len().saturating_sub(width);
        let ends = |p: &usize| self.start.wrapping_add(*p) <= last;
        self.values.len() >= width && self.inner.iter().all(ends)
    }

    /// Packs some lines into a panel, (k, width): for each index along `k`,
    /// the element of each line. If there are fewer than `width` lines, the
    /// rest of each row of the panel keeps arbitrary values, whose products
    /// are discarded.
    #[inline(always)]
    pub(super) fn pack(self, lines: &[usize], width: usize, panel: &mut [f32]) {
        let length = self.inner.len();
        let address = |line: usize, p: usize| {
            self.start.wrapping_add(line).wrapping_add(p)
        };
        let mut panel = &mut panel[..length * width];
        if is_mostly_contiguous(lines) {
            for (to, p) in panel.chunks_exact_mut(width).zip(self.inner) {
                let mut to = &mut to[..lines.len()];
                for run in runs(lines) {
                    let to = to.split_off_mut(..run.len());
                    let from = &self.values[address(run[0], *p)..][..run.len()];
                    copy(from, to.expect("the slice is long enough"));
                }
            }
        } else if is_mostly_contiguous(self.inner) {
            for run in runs(self.inner) {
                let to = panel.split_off_mut(..run.len() * width);
                self.pack_transposed(
                    lines,
                    run,
                    width,
                    to.expect("the slice is long enough"),
                );
            }
        } else {
            for (to, p) in panel.chunks_exact_mut(width).zip(self.inner) {
                let elements =
                    lines.iter().map(|&line| self.values[address(line, *p)]);
                to.iter_mut().zip(elements).for_each(|(to, x)| *to = x);
            }
        }
    }

    /// Packs some lines over a run of consecutive inner offsets.
    #[inline(always)]
    fn pack_transposed(
        self,
        lines: &[usize],
        run: &[usize],
        width: usize,
        panel: &mut [f32],
    ) {
        let (fours, rest) = lines.as_chunks::<4>();
        for (i, [a, b, c, d]) in fours.iter().enumerate() {
            let four = [
                self.row(*a, run),
                self.row(*b, run),
                self.row(*c, run),
                self.row(*d, run),
            ];
            transpose(four, 4 * i, width, panel);
        }
        for (i, line) in rest.iter().enumerate() {
            let to = panel.chunks_exact_mut(width);
            for (to, x) in to.zip(self.row(*line, run)) {
                to[4 * fours.len() + i] = *x;
            }
        }
    }

    /// Returns the elements of a line at a run of consecutive inner offsets.
    #[inline(always)]
    pub(super) fn row(self, line: usize, run: &[usize]) -> &'a [f32] {
        let start = self.start.wrapping_add(line).wrapping_add(run[0]);
        &self.values[start..][..run.len()]
    }
}

/// Returns whether the runs of consecutive offsets have a mean length of at
/// least 4, so that it is worth copying them run by run.
fn is_mostly_contiguous(offsets: &[usize]) -> bool {
    4 * count_runs(offsets) <= offsets.len()
}

/// Unused elements between two panels, so that the distance between panels is
/// not a power of two and they do not all map to the same cache set.
const PANEL_PADDING: usize = 16;

/// Memory for packed lines: one panel for each `width` lines.
pub(super) struct Panels<'a> {
    memory: &'a mut [f32],
    width: usize,
    /// The distance between two panels.
    size: usize,
    /// The runs of consecutive lines; empty if the runs are too short.
    runs: Vec<Run>,
    /// Whether each panel consists of a single run.
    is_whole: bool,
}

/// A run of consecutive lines that go to the same panel.
struct Run {
    /// The offset of the first line.
    line: usize,
    length: usize,
    /// The offset in the memory of the panels.
    to: usize,
}

impl<'a> Panels<'a> {
    /// Returns the size of a panel for `depth` elements of each line.
    pub(super) fn size(width: usize, depth: usize) -> usize {
        depth * width + PANEL_PADDING
    }

    /// Divides memory into panels for `depth` elements of each line.
    pub(super) fn new(
        memory: &'a mut [f32],
        lines: &[usize],
        width: usize,
        depth: usize,
    ) -> Panels<'a> {
        let (size, mut runs) = (Panels::size(width, depth), vec![]);
        if is_mostly_contiguous(lines) {
            for (panel, lines) in lines.chunks(width).enumerate() {
                let mut to = panel * size;
                for run in self::runs(lines) {
                    runs.push(Run { line: run[0], length: run.len(), to });
                    to += run.len();
                }
            }
        }
        let is_whole = runs.len() == lines.len().div_ceil(width);
        Panels { memory, width, size, runs, is_whole }
    }

    /// Packs all lines. Runs of consecutive lines are read in memory order:
    /// for each index along `k`, through all panels.
    #[inline(always)]
    pub(super) fn pack(&mut self, side: Submatrix) {
        if self.runs.is_empty() {
            let panels = self.memory.chunks_mut(self.size);
            for (lines, panel) in side.lines.chunks(self.width).zip(panels) {
                side.pack(lines, self.width, panel);
            }
            return;
        }
        match (self.is_whole, self.width) {
            (true, 0..=8) => self.pack_runs::<8>(side),
            (true, 9..=16) => self.pack_runs::<16>(side),
            (true, 17..=32) => self.pack_runs::<32>(side),
            _ => self.pack_runs::<0>(side),
        }
    }

    /// Packs the runs, copying `CHUNK` elements at a time if that is not 0 and
    /// both slices are long enough. The elements copied past the end of a run
    /// are overwritten later or never used.
    #[inline(always)]
    fn pack_runs<const CHUNK: usize>(&mut self, side: Submatrix) {
        for (i, p) in side.inner.iter().enumerate() {
            let start = side.start.wrapping_add(*p);
            for run in &self.runs {
                let from = &side.values[start.wrapping_add(run.line)..];
                let to = &mut self.memory[run.to + i * self.width..];
                match from.first_chunk::<CHUNK>().zip(to.first_chunk_mut()) {
                    Some((from, to)) if CHUNK > 0 => *to = *from,
                    _ => copy(&from[..run.length], &mut to[..run.length]),
                }
            }
        }
    }

    /// Iterates over the panels.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.memory.chunks_mut(self.size)
    }
}

/// Copies a short slice, four elements at a time.
#[inline(always)]
fn copy(from: &[f32], to: &mut [f32]) {
    let (fours, rest) = from.as_chunks::<4>();
    let (to, to_rest) = to.as_chunks_mut::<4>();
    to.iter_mut().zip(fours).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}

/// Writes four rows to four columns of a panel, starting at `column`. It
/// transposes blocks of 4 x 4 elements.
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
    fn runs_of_four_count_as_contiguous() {
        assert!(
            is_mostly_contiguous(&[5, 6, 7, 8])
                && !is_mostly_contiguous(&[5, 6, 7])
        );
        assert!(is_mostly_contiguous(&[0, 1, 2, 3, 9, 10, 11, 12]));
        assert!(!is_mostly_contiguous(&[0, 1, 2, 3, 9, 10, 11, 13]));
    }
}
