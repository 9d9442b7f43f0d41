//! Products of matrices of small integers, which are exact, for many shapes
//! and layouts.

use rayon::ThreadPoolBuilder;

use super::*;

/// A matrix of small integers.
struct Side {
    count: usize,
    k: usize,
    /// The distance between lines and between the elements of a line.
    steps: [usize; 2],
    values: Vec<f32>,
    /// The offsets of the lines and of the elements of a line.
    offsets: [Vec<usize>; 2],
}

impl Side {
    fn new(count: usize, k: usize, along_k: bool) -> Side {
        let steps = if along_k { [k + 3, 1] } else { [1, count + 2] };
        let all = (count - 1) * steps[0] + (k - 1) * steps[1] + 1;
        // The gaps between the lines hold NaN, to show if they are read.
        let mut values = vec![f32::NAN; all];
        for line in 0..count {
            for p in 0..k {
                let number = (3 * line + 5 * p) % 7;
                values[line * steps[0] + p * steps[1]] = number as f32 - 3.0;
            }
        }
        let offsets = [(count, steps[0]), (k, steps[1])]
            .map(|(n, step)| (0..n).map(|i| i * step).collect());
        Side { count, k, steps, values, offsets }
    }

    fn even(&self) -> Lines<'_> {
        let [lines, inner] = [(self.count, 0), (self.k, 1)]
            .map(|(n, i)| Offsets::even(n, self.steps[i] as isize));
        Lines { values: &self.values, start: 0, lines, inner }
    }

    fn listed(&self) -> Lines<'_> {
        let [lines, inner] = [0, 1].map(|i| Offsets::Listed(&self.offsets[i]));
        Lines { values: &self.values, start: 0, lines, inner }
    }

    fn element(&self, line: usize, p: usize) -> f32 {
        self.values[line * self.steps[0] + p * self.steps[1]]
    }
}

/// Compares a product with plain dot products. The output memory holds NaN
/// before.
fn check([m, n, k]: [usize; 3], along: [bool; 2]) {
    let (a, b) = (Side::new(m, k, along[0]), Side::new(n, k, along[1]));
    let sum = |i: usize, j: usize| -> f32 {
        (0..k).map(|p| a.element(i, p) * b.element(j, p)).sum()
    };
    let right: Vec<f32> = (0..m * n).map(|i| sum(i / n, i % n)).collect();
    for (a, b) in [(a.even(), b.even()), (a.listed(), b.listed())] {
        let mut out = vec![f32::NAN; m * n];
        product(a, b, &mut out);
        assert!(out == right, "({m}, {k}) x ({k}, {n}), {along:?}");
    }
}

/// Promise: A matmul is right for every shape and layout, whatever the output
/// memory contained before.
#[test]
fn every_shape_and_layout_is_multiplied_right() {
    for along in [[true, true], [true, false], [false, true], [false; 2]] {
        for m in [1, 2, 5, 13, 37] {
            for n in [1, 3, 16, 33, 70] {
                for k in [1, 7, 128, 131, 300] {
                    check([m, n, k], along);
                }
            }
        }
        check([3, 5, 2 * MAX_F32_SUM + 1], along);
        // Enough column tiles for the rows to be packed.
        check([13, 300, 260], along);
        check([1, 2100, 5], along);
        // Every number of full registers and of remaining elements.
        for k in 1..=130 {
            check([3, 1, k], along);
        }
    }
}

#[test]
fn a_product_on_several_threads_is_right() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        for along in [[true, true], [true, false], [false, true], [false; 2]] {
            check([120, 130, 70], along);
            check([1030, 1, 1100], along);
            check([1, 1030, 1100], along);
            check([5, 30, 4 * MAX_F32_SUM + 3], along);
        }
    });
}

#[test]
fn contiguous_runs_are_counted() {
    assert_eq!(
        [&[5][..], &[5, 6, 7], &[5, 7], &[1, 2, 9]].map(count_runs),
        [1, 1, 2, 2]
    );
    assert!(
        Offsets::even(1, 7).is_contiguous()
            && Offsets::even(9, 1).is_contiguous()
    );
    assert!(
        !Offsets::even(2, 7).is_contiguous()
            && Offsets::even(0, 7).is_contiguous()
    );
    assert!(Offsets::Listed(&[4, 5]).is_contiguous());
    assert!(!Offsets::Listed(&[4, 6]).is_contiguous());
}

#[test]
fn loads_do_not_reach_past_the_end() {
    let values = [0.0; 20];
    let side =
        |start, inner| Submatrix { values: &values, start, lines: &[0], inner };
    assert!(side(0, &[0, 12]).can_load(8) && !side(0, &[0, 13]).can_load(8));
    assert!(side(4, &[0, 8]).can_load(8) && !side(5, &[0, 8]).can_load(8));
    assert!(side(0, &[0]).can_load(20) && !side(0, &[0]).can_load(21));
}

#[test]
fn lines_are_packed_element_by_element() {
    let values: Vec<f32> = (0..400).map(|i| i as f32).collect();
    let rows = |n: usize, step: usize| -> Vec<usize> {
        (0..n).map(|i| i / 4 * step + i % 4).collect()
    };
    let apart = |n: usize, step: usize| -> Vec<usize> {
        (0..n).map(|i| i * step).collect()
    };
    for lines in [apart(9, 17), rows(8, 30), apart(9, 1), apart(3, 40)] {
        for inner in [apart(7, 1), apart(11, 13), rows(8, 20), apart(5, 1)] {
            let side = Submatrix {
                values: &values,
                start: 2,
                lines: &lines,
                inner: &inner,
            };
            let mut panel = vec![-1.0; inner.len() * 12];
            side.pack(&lines, 12, &mut panel);
            for (p, offset) in inner.iter().enumerate() {
                for (i, line) in lines.iter().enumerate() {
                    let right = values[2 + line + offset];
                    assert_eq!(
                        panel[12 * p + i],
                        right,
                        "{lines:?}, {inner:?}"
                    );
                }
            }
        }
    }
}
