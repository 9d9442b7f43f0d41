//! What a product is to the kernels: lines and sums, and how they lie.

use super::super::super::kernels::FEW_ROWS;
use super::super::super::view::joined;
use super::Array;
use crate::shape::size;

/// One operand: its lines, which are rows or columns, and what is summed.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) array: &'a Array,
    /// How many lines there are, in all.
    pub(super) lines: usize,
    /// The sizes and the strides of up to three axes of them.
    pub(super) sizes: [usize; 3],
    pub(super) line_steps: [isize; 3],
    pub(super) inner_steps: [isize; 3],
    pub(super) batch_step: isize,
}

/// A product as the kernels know it.
pub(super) struct Product<'a> {
    pub(super) a: Operand<'a>,
    pub(super) b: Operand<'a>,
    pub(super) batches: usize,
    pub(super) k: usize,
    pub(super) inner: [usize; 3],
}

/// Takes the last three of some axes; those that are missing have size 1.
fn three<T: Copy>(axes: &[T], missing: T) -> Option<[T; 3]> {
    let mut three = [missing; 3];
    let first = 3_usize.checked_sub(axes.len())?;
    three[first..].copy_from_slice(axes);
    Some(three)
}

impl<'a> Product<'a> {
    /// Describes a product; `None` where lines, sums or batches go over more
    /// axes than a kernel walks.
    pub(super) fn new(
        a: &'a Array,
        b: &'a Array,
        batch: usize,
        inner: usize,
    ) -> Option<Product<'a>> {
        let split = |it: &'a Array| {
            let axes = it.shape().len() - inner;
            let (shape, strides) = (it.shape(), it.strides());
            [0..batch, batch..axes, axes..axes + inner]
                .map(|axes| (&shape[axes.clone()], &strides[axes]))
        };
        let ([a_batch, a_lines, a_inner], [b_batch, b_lines, b_inner]) =
            (split(a), split(b));
        let batches = joined(a_batch.0, [a_batch.1, b_batch.1]);
        let inners = joined(a_inner.0, [a_inner.1, b_inner.1]);
        let batch_steps = match &batches[..] {
            [] => [0, 0],
            [(_, steps)] => *steps,
            _ => return None,
        };
        let operand = |which: usize, array, lines: (&[usize], &[isize])| {
            let runs = joined(lines.0, [lines.1]);
            let axes = three(&runs, (1, [0]))?;
            let inner = three(&inners, (1, [0, 0]))?;
            Some(Operand {
                array,
                lines: size(lines.0),
                sizes: axes.map(|(size, _)| size),
                line_steps: axes.map(|(_, [step])| step),
                inner_steps: inner.map(|(_, steps)| steps[which]),
                batch_step: batch_steps[which],
            })
        };
        Some(Product {
            a: operand(0, a, a_lines)?,
            b: operand(1, b, b_lines)?,
            batches: size(a_batch.0),
            k: size(a_inner.0),
            inner: three(&inners, (1, [0, 0]))?.map(|(size, _)| size),
        })
    }

    /// Counts the elements of the result.
    pub(super) fn len(&self) -> usize {
        self.batches * self.a.lines * self.b.lines
    }

    /// Tells whether there are few rows and many columns, neighbors of which
    /// lie side by side.
    pub(super) fn has_few_rows(&self) -> bool {
        let Operand { lines, line_steps, .. } = self.b;
        let columns = lines * self.batches;
        let is_wide = lines >= 64 && columns >= self.k;
        self.a.lines <= FEW_ROWS && is_wide && line_steps[2].abs() <= 2
    }

    /// Tells whether there are few results with long sums, along which
    /// neighbors lie side by side.
    pub(super) fn has_long_sums(&self) -> bool {
        let [a, b] = [&self.a, &self.b];
        let lie = [a, b].iter().all(|it| it.inner_steps[2].abs() <= 2);
        lie && self.k >= 1 << 14 && a.lines * b.lines <= 1 << 11
    }

    /// Tells whether each line and each sum goes along one axis.
    pub(super) fn is_of_matrices(&self) -> bool {
        let inner = self.inner;
        [self.a.sizes, self.b.sizes, inner]
            .iter()
            .all(|sizes| sizes[..2] == [1, 1])
    }
}

impl Operand<'_> {
    /// Tells whether neighbors in memory lie along the sum.
    pub(super) fn lies_along_inner(&self) -> bool {
        let step = |steps: [isize; 3], size| match size {
            1 => isize::MAX,
            _ => steps[2].abs(),
        };
        self.inner_steps[2].abs() <= step(self.line_steps, self.sizes[2])
    }

    /// Tells whether it can be read four numbers at a time.
    pub(super) fn has_fours(&self, k: usize) -> bool {
        let (along, across, count) = match self.lies_along_inner() {
            true => (self.inner_steps[2], self.line_steps[2], k),
            false => (self.line_steps[2], self.inner_steps[2], self.lines),
        };
        let others = [across, self.batch_step, count as isize];
        let offset = self.array.offset() as isize;
        along == 1 && offset % 4 == 0 && others.iter().all(|it| it % 4 == 0)
    }

    /// Tells whether its lines go along `k`, and can be read so.
    pub(super) fn is_packed(&self, k: usize) -> bool {
        self.lies_along_inner() && self.has_fours(k)
    }

    /// Returns the strides for a kernel.
    pub(super) fn to(&self) -> [i32; 8] {
        let [lines, inner] = [self.line_steps, self.inner_steps];
        [
            lines[0],
            lines[1],
            lines[2],
            inner[0],
            inner[1],
            inner[2],
            self.batch_step,
            0,
        ]
        .map(|step| step as i32)
    }
}
