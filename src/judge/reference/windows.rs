//! What moves over images, and what multiplies its windows.

use super::{Array, expand, indices, matmul, permute, place};
use crate::shape::{Window, size};

/// Finds which pixel an element of windows shows: its row and its column,
/// behind the axes in front; none in the padding before an image.
fn pixel<'a>(
    window: &Window,
    at: &'a [usize],
) -> (&'a [usize], Option<[usize; 2]>) {
    let (outer, inner) = at.split_at(at.len() - 4);
    let along = |i: usize| {
        let at = inner[i] * window.stride[i];
        let at = at + inner[2 + i] * window.dilation[i];
        at.checked_sub(window.padding[i])
    };
    (outer, along(0).zip(along(1)).map(|(row, column)| [row, column]))
}

pub(super) fn windows(a: &Array, window: &Window) -> Option<Array> {
    let [outer @ .., h, w] = &a.shape[..] else { return None };
    let places = window.positions(&a.shape).ok()?;
    let shape = [outer, &places, &window.size].concat();
    Some(place(&shape, |at| {
        let (outer, pixel) = pixel(window, at);
        let pixel = pixel.filter(|at| at[0] < *h && at[1] < *w)?;
        Some(a.at(&[outer, &pixel].concat()))
    }))
}

pub(super) fn fold(a: &Array, window: &Window, image: &[usize; 2]) -> Array {
    let outer = &a.shape[..a.shape.len() - 4];
    let shape = [outer, image].concat();
    let mut sum = place(&shape, |_| None);
    for (at, value) in indices(&a.shape).zip(&a.values) {
        let (outer, pixel) = pixel(window, &at);
        let is_inside = |at: &[usize; 2]| at[0] < image[0] && at[1] < image[1];
        if let Some(pixel) = pixel.filter(is_inside) {
            let at = sum.place(&[outer, &pixel].concat());
            sum.values[at] += value;
        }
    }
    sum
}

/// Multiplies (batch.., rows.., inner..) x (batch.., columns.., inner..), as
/// matrices.
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

/// Convolves images (n, channels, h, w) and filters (filters, channels of a
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
