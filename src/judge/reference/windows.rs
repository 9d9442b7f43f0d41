//! Sliding windows, contraction and convolution.

use super::{Array, expand, from_fn, indices, matmul, permute};
use crate::shape::{Window, size};

/// Converts an index into windows to the leading indices and the row and
/// column of the pixel, which is `None` above or left of the image.
fn pixel<'a>(
    window: &Window,
    index: &'a [usize],
) -> (&'a [usize], Option<[usize; 2]>) {
    let (outer, inner) = index.split_at(index.len() - 4);
    let coordinate = |i: usize| {
        let start = inner[i] * window.stride[i];
        let padded = start + inner[2 + i] * window.dilation[i];
        padded.checked_sub(window.padding[i])
    };
    let pixel = coordinate(0).zip(coordinate(1));
    (outer, pixel.map(|(row, column)| [row, column]))
}

pub(super) fn windows(a: &Array, window: &Window) -> Option<Array> {
    let [outer @ .., h, w] = &a.shape[..] else { return None };
    let positions = window.positions(&a.shape).ok()?;
    let shape = [outer, &positions, &window.size].concat();
    Some(from_fn(&shape, |index| {
        let (outer, pixel) = pixel(window, index);
        let pixel = pixel.filter(|p| p[0] < *h && p[1] < *w)?;
        Some(a.get(&[outer, &pixel].concat()))
    }))
}

pub(super) fn fold(a: &Array, window: &Window, image: &[usize; 2]) -> Array {
    let outer = &a.shape[..a.shape.len() - 4];
    let shape = [outer, image].concat();
    let mut sum = from_fn(&shape, |_| None);
    for (index, value) in indices(&a.shape).zip(&a.values) {
        let (outer, pixel) = pixel(window, &index);
        let is_inside = |p: &[usize; 2]| p[0] < image[0] && p[1] < image[1];
        if let Some(pixel) = pixel.filter(is_inside) {
            let offset = sum.offset(&[outer, &pixel].concat());
            sum.values[offset] += value;
        }
    }
    sum
}

/// Contracts (batch.., rows.., inner..) x (batch.., columns.., inner..) to
/// (batch.., rows.., columns..), as a product of matrices.
pub(super) fn contract(
    a: &Array,
    b: &Array,
    batch: usize,
    inner: usize,
) -> Array {
    let split = |a: &Array| {
        let (outer, rest) = a.shape.split_at(batch);
        let (lines, inner) = rest.split_at(rest.len() - inner);
        let matrices = [outer, lines, inner].map(size);
        (lines.to_vec(), Array::from_values(&matrices, a.values.clone()))
    };
    let ((rows, a_matrices), (columns, b)) = (split(a), split(b));
    let product = matmul(&a_matrices, &permute(&b, &[0, 2, 1]));
    let shape = [&a.shape[..batch], &rows, &columns].concat();
    Array::from_values(&shape, product.values)
}

/// Convolves images (n, channels, h, w) with filters (filters, channels per
/// group, height, width).
pub(super) fn convolve(
    a: &Array,
    b: &Array,
    window: &Window,
    groups: usize,
) -> Option<Array> {
    let ([n, _, h, w], [out, c, ..]) = (&a.shape[..], &b.shape[..]) else {
        return None;
    };
    let images = [*n, groups, *c, *h, *w];
    let images = Array::from_values(&images, a.values.clone());
    let windows = permute(&windows(&images, window)?, &[0, 1, 3, 4, 2, 5, 6]);
    let [height, width] = window.size;
    let filters = [groups, out / groups, *c, height, width];
    let filters = Array::from_values(&filters, b.values.clone());
    let filters = expand(&filters, &[&[*n], &filters.shape[..]].concat());
    let product = contract(&filters, &windows, 2, 3);
    let shape = [*n, *out, windows.shape[2], windows.shape[3]];
    Some(Array::from_values(&shape, product.values))
}
