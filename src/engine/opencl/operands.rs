//! The description of a matrix product for the kernels: the lines of both
//! operands and their strides.

use super::Array;
use super::launch_shape::Sizes;
use crate::engine::kernels::FEW_ROWS;
use crate::part3_unified::joined;
use crate::shape::size;

/// One operand of a product. Its lines are the rows of the left operand and
/// the columns of the right one; the inner axes are summed over.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) array: &'a Array,
    /// The number of lines.
    pub(super) lines: usize,
    /// Sizes and strides of the lines, over up to three axes.
    pub(super) sizes: [usize; 3],
    pub(super) line_steps: [isize; 3],
    pub(super) inner_steps: [isize; 3],
    pub(super) batch_step: isize,
}

/// A product in the form that the kernels take.
pub(super) struct Matmul<'a> {
    pub(super) a: Operand<'a>,
    pub(super) b: Operand<'a>,
    pub(super) batches: usize,
    pub(super) k: usize,
    pub(super) inner: [usize; 3],
}

/// Pads axes in front to three. Returns `None` if there are more.
fn pad_to_three<T: Copy>(axes: &[T], missing: T) -> Option<[T; 3]> {
    let mut three = [missing; 3];
    let first = 3_usize.checked_sub(axes.len())?;
    three[first..].copy_from_slice(axes);
    Some(three)
}

impl<'a> Matmul<'a> {
    /// Describes a product. Returns `None` if the lines, the inner axes or the
    /// batch span more axes than a kernel has.
    pub(super) fn new(
        a: &'a Array,
        b: &'a Array,
        batch: usize,
        inner: usize,
    ) -> Option<Matmul<'a>> {
        let split = |a: &'a Array| {
            let axes = a.shape().len() - inner;
            let (shape, strides) = (a.shape(), a.strides());
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
            let axes = pad_to_three(&runs, (1, [0]))?;
            let inner = pad_to_three(&inners, (1, [0, 0]))?;
            Some(Operand {
                array,
                lines: size(lines.0),
                sizes: axes.map(|(size, _)| size),
                line_steps: axes.map(|(_, [step])| step),
                inner_steps: inner.map(|(_, steps)| steps[which]),
                batch_step: batch_steps[which],
            })
        };
        Some(Matmul {
            a: operand(0, a, a_lines)?,
            b: operand(1, b, b_lines)?,
            batches: size(a_batch.0),
            k: size(a_inner.0),
            inner: pad_to_three(&inners, (1, [0, 0]))?.map(|(size, _)| size),
        })
    }

    pub(super) fn sizes(&self) -> Sizes {
        let (m, k, n) = (self.a.lines, self.k, self.b.lines);
        Sizes { m, k, n, batches: self.batches }
    }

    /// Returns the number of elements of the result.
    pub(super) fn len(&self) -> usize {
        self.batches * self.a.lines * self.b.lines
    }

    /// Returns whether the product has few rows and many columns, and adjacent
    /// columns are close in memory.
    pub(super) fn has_few_rows(&self) -> bool {
        let Operand { lines, line_steps, .. } = self.b;
        let columns = lines * self.batches;
        let is_wide = lines >= 64 && columns >= self.k;
        self.a.lines <= FEW_ROWS && is_wide && line_steps[2].abs() <= 2
    }

    /// Returns whether the product has few results and a long `k`, and
    /// elements along `k` are close in memory.
    pub(super) fn has_long_sums(&self) -> bool {
        let [a, b] = [&self.a, &self.b];
        let is_near = |side: &&Operand| side.inner_steps[2].abs() <= 2;
        [a, b].iter().all(is_near)
            && self.k >= 1 << 14
            && a.lines * b.lines <= 1 << 11
    }

    /// Returns whether the lines and the inner axes are one axis each.
    pub(super) fn is_of_matrices(&self) -> bool {
        let inner = self.inner;
        [self.a.sizes, self.b.sizes, inner]
            .iter()
            .all(|sizes| sizes[..2] == [1, 1])
    }
}

impl Operand<'_> {
    /// Returns whether elements along `k` are closer in memory than elements
    /// of adjacent lines.
    pub(super) fn is_along_k(&self) -> bool {
        let step = |steps: [isize; 3], size| match size {
            1 => isize::MAX,
            _ => steps[2].abs(),
        };
        self.inner_steps[2].abs() <= step(self.line_steps, self.sizes[2])
    }

    /// Returns whether it can be read with aligned `float4` loads.
    pub(super) fn has_fours(&self, k: usize) -> bool {
        let (along, across, count) = if self.is_along_k() {
            (self.inner_steps[2], self.line_steps[2], k)
        } else {
            (self.line_steps[2], self.inner_steps[2], self.lines)
        };
        let others = [across, self.batch_step, count as isize];
        let offset = self.array.offset() as isize;
        let is_four = |step: &isize| step % 4 == 0;
        along == 1 && is_four(&offset) && others.iter().all(is_four)
    }

    /// Returns whether its lines are contiguous and can be read with aligned
    /// `float4` loads.
    pub(super) fn is_packed(&self, k: usize) -> bool {
        self.is_along_k() && self.has_fours(k)
    }

    /// Returns the strides as a kernel argument.
    pub(super) fn strides_arg(&self) -> [i32; 8] {
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
    use super::*;
    use crate::part3_unified::{Device, Span};

    fn zeros(shape: &[usize]) -> Array {
        let n = shape.iter().product();
        Array::new(shape, &vec![0.0; n], Device::Cpu).unwrap()
    }

    /// Returns lines of `k` elements, adjacent ones `step` elements apart.
    fn lines_apart(lines: usize, k: usize, step: usize) -> Array {
        let all = zeros(&[k, lines * step]);
        let every = [Span::from(..), Span::from(..).step(step)];
        all.slice(&every).unwrap().permute(&[1, 0]).unwrap()
    }

    #[test]
    fn few_rows_with_adjacent_columns_have_their_own_kernel() {
        let has = |m: usize, k: usize, n: usize, step: usize| {
            let (a, b) = (zeros(&[m, k]), lines_apart(n, k, step));
            Matmul::new(&a, &b, 0, 1).unwrap().has_few_rows()
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
        assert!(Matmul::new(&a, &b, 1, 1).unwrap().has_few_rows());
    }

    #[test]
    fn few_results_with_a_long_k_have_a_separate_kernel() {
        let has = |m: usize, k: usize, n: usize, step: usize| {
            let (a, b) = (zeros(&[m, k]), zeros(&[n, k * step]));
            let every = [Span::from(..), Span::from(..).step(step)];
            let b = b.slice(&every).unwrap();
            Matmul::new(&a, &b, 0, 1).unwrap().has_long_sums()
                && Matmul::new(&b, &a, 0, 1).unwrap().has_long_sums()
        };
        assert!(has(32, 1 << 14, 64, 1) && has(1, 1 << 14, 1, 2));
        assert!(!has(32, (1 << 14) - 1, 64, 1), "short");
        assert!(!has(33, 1 << 14, 64, 1), "many results");
        assert!(!has(1, 1 << 14, 1, 3), "far apart");
    }

    #[test]
    fn matrices_have_one_axis_for_lines_and_one_for_sums() {
        let of = |a: &[usize], b: &[usize], inner: usize| {
            // The axes are in reverse order in memory, so none can be merged.
            let transposed = |shape: &[usize]| {
                let axes: Vec<usize> = (0..shape.len()).rev().collect();
                let other: Vec<usize> =
                    axes.iter().map(|&i| shape[i]).collect();
                zeros(&other).permute(&axes).unwrap()
            };
            let (a, b) = (transposed(a), transposed(b));
            let product = Matmul::new(&a, &b, 0, inner);
            product.map(|product| product.is_of_matrices())
        };
        assert_eq!(of(&[4, 5], &[6, 5], 1), Some(true));
        assert_eq!(of(&[4, 3, 5], &[6, 5], 1), Some(false));
        assert_eq!(of(&[6, 5], &[4, 3, 5], 1), Some(false));
        assert_eq!(of(&[4, 3, 5], &[6, 3, 5], 2), Some(false));
        assert_eq!(of(&[2, 3, 4, 5], &[6, 5], 1), Some(false));
        assert_eq!(of(&[2, 3, 4, 5, 6], &[7, 6], 1), None, "too many");
    }

    #[test]
    fn an_operand_has_fours_if_all_its_offsets_are_multiples_of_four() {
        let all = zeros(&[16, 16]);
        let cut = |rows: std::ops::Range<usize>, columns| {
            all.slice(&[Span::from(rows), Span::from(columns)]).unwrap()
        };
        let of = |a: &Array| {
            let other = zeros(&[3, a.shape()[1]]);
            let a = Matmul::new(a, &other, 0, 1).unwrap().a;
            let k = a.array.shape()[1];
            [a.is_along_k(), a.has_fours(k), a.is_packed(k)]
        };
        assert_eq!(of(&cut(0..5, 0..8)), [true; 3]);
        assert_eq!(of(&cut(0..5, 4..12)), [true; 3]);
        assert_eq!(of(&cut(0..5, 0..7)), [true, false, false], "k");
        assert_eq!(of(&cut(0..5, 2..10)), [true, false, false], "offset");
        let transposed = |a: Array| a.permute(&[1, 0]).unwrap();
        assert_eq!(of(&transposed(cut(0..5, 0..8))), [false, true, false]);
        assert_eq!(of(&transposed(cut(0..8, 0..7))), [false; 3], "lines");
        // A single line is along k, however far apart its elements are.
        assert_eq!(of(&transposed(cut(0..8, 0..1))), [true, false, false]);
        let odd = zeros(&[6, 15]);
        let odd = odd.slice(&[0..6, 0..8]).unwrap();
        assert_eq!(of(&odd), [true, false, false], "from line to line");
        let batches = zeros(&[2, 3, 8]).slice(&[0..2, 0..3, 0..8]).unwrap();
        let other = zeros(&[2, 5, 8]);
        let product = Matmul::new(&batches, &other, 1, 1).unwrap();
        assert!(product.a.has_fours(8));
        let uneven = zeros(&[2, 26]).slice(&[0..2, 0..24]).unwrap();
        let uneven = uneven.reshape(&[2, 3, 8]).unwrap();
        let product = Matmul::new(&uneven, &other, 1, 1).unwrap();
        assert!(!product.a.has_fours(8), "from batch to batch");
    }
}
