//! What a product is to the kernels: lines and sums, and how they lie.

use super::super::super::kernels::FEW_ROWS;
use super::super::super::view::joined;
use super::Array;
use super::cuts::Sizes;
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

    pub(super) fn sizes(&self) -> Sizes {
        let (m, k, n) = (self.a.lines, self.k, self.b.lines);
        Sizes { m, k, n, batches: self.batches }
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

#[cfg(test)]
mod tests {
    use super::super::super::super::{Device, Span};
    use super::*;

    fn zeros(shape: &[usize]) -> Array {
        let n = shape.iter().product();
        Array::new(shape, &vec![0.0; n], Device::Cpu).unwrap()
    }

    /// Makes so many lines, neighbors of which lie so far apart.
    fn apart(lines: usize, k: usize, step: usize) -> Array {
        let all = zeros(&[k, lines * step]);
        let every = [Span::from(..), Span::from(..).step(step)];
        all.slice(&every).unwrap().permute(&[1, 0]).unwrap()
    }

    #[test]
    fn few_rows_of_many_neighboring_columns_have_a_kernel_of_their_own() {
        let has = |m: usize, k: usize, n: usize, step: usize| {
            let (a, b) = (zeros(&[m, k]), apart(n, k, step));
            Product::new(&a, &b, 0, 1).unwrap().has_few_rows()
        };
        assert!(has(16, 64, 64, 1) && has(1, 64, 64, 2));
        assert!(!has(17, 64, 64, 1), "many rows");
        assert!(!has(16, 63, 63, 1), "few columns");
        assert!(!has(16, 65, 64, 1), "long sums");
        assert!(!has(16, 64, 64, 3), "far apart");
        // The columns of a batch count together.
        let (a, b) = (zeros(&[2, 4, 100]), zeros(&[2, 64, 100]));
        let b = b.permute(&[0, 2, 1]).unwrap().compact().unwrap();
        let b = b.permute(&[0, 2, 1]).unwrap();
        assert!(Product::new(&a, &b, 1, 1).unwrap().has_few_rows());
    }

    #[test]
    fn long_sums_of_few_results_have_a_kernel_of_their_own() {
        let has = |m: usize, k: usize, n: usize, step: usize| {
            let (a, b) = (zeros(&[m, k]), zeros(&[n, k * step]));
            let every = [Span::from(..), Span::from(..).step(step)];
            let b = b.slice(&every).unwrap();
            Product::new(&a, &b, 0, 1).unwrap().has_long_sums()
                && Product::new(&b, &a, 0, 1).unwrap().has_long_sums()
        };
        assert!(has(32, 1 << 14, 64, 1) && has(1, 1 << 14, 1, 2));
        assert!(!has(32, (1 << 14) - 1, 64, 1), "short");
        assert!(!has(33, 1 << 14, 64, 1), "many results");
        assert!(!has(1, 1 << 14, 1, 3), "far apart");
    }

    #[test]
    fn matrices_have_one_axis_for_lines_and_one_for_sums() {
        let of = |a: &[usize], b: &[usize], inner: usize| {
            // The axes lie the other way around, so none joins.
            let turned = |shape: &[usize]| {
                let axes: Vec<usize> = (0..shape.len()).rev().collect();
                let other: Vec<usize> =
                    axes.iter().map(|&i| shape[i]).collect();
                zeros(&other).permute(&axes).unwrap()
            };
            let (a, b) = (turned(a), turned(b));
            Product::new(&a, &b, 0, inner).map(|it| it.is_of_matrices())
        };
        assert_eq!(of(&[4, 5], &[6, 5], 1), Some(true));
        assert_eq!(of(&[4, 3, 5], &[6, 5], 1), Some(false));
        assert_eq!(of(&[6, 5], &[4, 3, 5], 1), Some(false));
        assert_eq!(of(&[4, 3, 5], &[6, 3, 5], 2), Some(false));
        assert_eq!(of(&[2, 3, 4, 5], &[6, 5], 1), Some(false));
        assert_eq!(of(&[2, 3, 4, 5, 6], &[7, 6], 1), None, "too many");
    }

    #[test]
    fn an_operand_is_read_by_fours_where_all_begins_at_a_four() {
        let all = zeros(&[16, 16]);
        let cut = |rows: std::ops::Range<usize>, columns| {
            all.slice(&[Span::from(rows), Span::from(columns)]).unwrap()
        };
        let of = |a: &Array| {
            let other = zeros(&[3, a.shape()[1]]);
            let it = Product::new(a, &other, 0, 1).unwrap();
            let k = a.shape()[1];
            [it.a.lies_along_inner(), it.a.has_fours(k), it.a.is_packed(k)]
        };
        assert_eq!(of(&cut(0..5, 0..8)), [true; 3]);
        assert_eq!(of(&cut(0..5, 4..12)), [true; 3]);
        assert_eq!(of(&cut(0..5, 0..7)), [true, false, false], "k");
        assert_eq!(of(&cut(0..5, 2..10)), [true, false, false], "offset");
        let turned = |a: Array| a.permute(&[1, 0]).unwrap();
        assert_eq!(of(&turned(cut(0..5, 0..8))), [false, true, false]);
        assert_eq!(of(&turned(cut(0..8, 0..7))), [false; 3], "lines");
        // A single line lies along its sum, however far apart its numbers.
        assert_eq!(of(&turned(cut(0..8, 0..1))), [true, false, false]);
        let odd = zeros(&[6, 15]);
        let odd = odd.slice(&[0..6, 0..8]).unwrap();
        assert_eq!(of(&odd), [true, false, false], "from line to line");
        let batches = zeros(&[2, 3, 8]).slice(&[0..2, 0..3, 0..8]).unwrap();
        let other = zeros(&[2, 5, 8]);
        let it = Product::new(&batches, &other, 1, 1).unwrap();
        assert!(it.a.has_fours(8));
        let uneven = zeros(&[2, 26]).slice(&[0..2, 0..24]).unwrap();
        let uneven = uneven.reshape(&[2, 3, 8]).unwrap();
        let it = Product::new(&uneven, &other, 1, 1).unwrap();
        assert!(!it.a.has_fours(8), "from batch to batch");
    }
}
