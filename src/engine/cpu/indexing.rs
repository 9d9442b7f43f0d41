//! `index_select`, `index_add` and `fold`.

use super::parallel::{READ_COST, fill};
use super::reduce::round;
use super::strided::{StridedRuns, run};
use super::types::{CpuFloat, HostElement};
use super::{Array, Shared, Window, dense, storage_elements};
use crate::engine::threads::threads_for;
use crate::error::Result;

/// Copies the rows of a dense matrix at some indices.
pub(super) fn index_select<T: HostElement>(
    a: &Array,
    indices: &[usize],
) -> Result<Shared> {
    let (width, all) = (a.shape()[1], dense::<T>(a));
    fill(indices.len() * width, width, READ_COST, &|from, out: &mut [T]| {
        let rows = out.chunks_mut(width).zip(&indices[from / width..]);
        for (out, index) in rows {
            out.copy_from_slice(&all[index * width..][..width]);
        }
    })
}

/// Adds row `i` of a dense matrix to row `indices[i]` of the result. Each
/// chunk of the result scans all indices and handles those that fall into it.
pub(super) fn index_add<T: CpuFloat>(
    a: &Array,
    indices: &[usize],
    rows: usize,
) -> Result<Shared> {
    let width = a.shape()[1];
    // Each chunk scans all indices, so each thread gets only one.
    let threads = threads_for(rows * width);
    let chunk = rows.div_ceil(threads).max(1) * width;
    fill(rows * width, chunk, READ_COST, &|from, out: &mut [T]| {
        let mut sums = vec![0.0; out.len()];
        for (row, index) in dense::<T>(a).chunks(width).zip(indices) {
            let to = (index * width).wrapping_sub(from);
            if to < out.len() {
                let pairs = sums[to..].iter_mut().zip(row);
                pairs.for_each(|(sum, x)| *sum += x.wide());
            }
        }
        round(&sums, out);
    })
}

/// Returns the cost of a pixel of `fold`: how many window elements are added
/// to it, rounded up.
fn fold_cost(elements: usize, pixels: usize) -> usize {
    elements.div_ceil(pixels.max(1))
}

/// Adds windows (.., rows, columns, height, width) into images. The outer loop
/// is over the elements of a window, so that the inner loop writes along a row
/// of the image.
pub(super) fn fold<T: CpuFloat>(
    a: &Array,
    window: &Window,
    count: usize,
    image: [usize; 2],
) -> Result<Shared> {
    let size = image[0] * image[1];
    let (outer, inner) = a.view().split_at(a.shape().len() - 4);
    let (rows, columns) = (inner.shape()[0], inner.shape()[1]);
    let steps: Vec<isize> = inner.strides().to_vec();
    let outer = StridedRuns::new([&outer]);
    let all = storage_elements::<T>(a);
    let cost = fold_cost(a.len(), count * size);
    fill(count * size, size, cost, &|from, out: &mut [T]| {
        let images = out.chunks_mut(size).zip(outer.offsets(from / size));
        let mut sums = vec![0.0; size];
        for (out, start) in images {
            sums.fill(0.0);
            for i in 0..window.size[0] * window.size[1] {
                let (y, x) = (i / window.size[1], i % window.size[1]);
                let start = start as isize + y as isize * steps[2];
                let start = start + x as isize * steps[3];
                for row in 0..rows {
                    let at = start + row as isize * steps[0];
                    let to = row * window.stride[0] + y * window.dilation[0];
                    let to = to * image[1] + x * window.dilation[1];
                    let values = run(all, at as usize, columns, steps[1]);
                    let sums = sums[to..].iter_mut();
                    let sums = sums.step_by(window.stride[1]).zip(values);
                    sums.for_each(|(sum, x)| *sum += x.wide());
                }
            }
            round(&sums, out);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_pixel_is_the_elements_added_to_it() {
        assert_eq!(fold_cost(90, 30), 3);
        assert_eq!(fold_cost(91, 30), 4);
        assert_eq!(fold_cost(0, 0), 0);
    }
}
