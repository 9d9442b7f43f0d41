//! Functions of shapes, which are plain `&[usize]`. Built in "Shapes that
//! stretch".
//!
//! Reading order: [`size`], [`strides`], [`offsets`], [`broadcast`] and its
//! counterpart for gradients, [`broadcast_axes`], [`list`]; then [`Axis`],
//! [`Span`], a range of an axis, and [`Window`], a sliding window over an image.

mod axis;
mod span;
mod window;

pub use axis::Axis;
pub use span::{Span, Spans};
pub use window::Window;

use std::fmt::{Display, LowerExp};

use crate::error::{Error, or_raise};

/// Returns the number of elements: the product of all sizes, 1 for a scalar.
/// Panics where [`checked_size`] returns an error.
#[track_caller]
pub fn size(shape: &[usize]) -> usize {
    or_raise(checked_size(shape))
}

/// Returns the number of elements, or an error if no memory could hold them.
/// An axis of size 0 does not make the other axes valid, because a stride is
/// the product of the sizes of the axes after its own.
pub fn checked_size(shape: &[usize]) -> Result<usize, Error> {
    const MAX_ELEMENTS: usize = isize::MAX as usize / size_of::<f32>();
    let times = |n: usize, size: &usize| n.checked_mul(*size.max(&1));
    let product = shape.iter().try_fold(1, times);
    match product.filter(|&n| n <= MAX_ELEMENTS) {
        Some(n) => Ok(if shape.contains(&0) { 0 } else { n }),
        _ => Err(Error::Mistake(format!(
            "shape {shape:?} has more elements than any memory has room for; \
             check its sizes"
        ))),
    }
}

/// Computes the row-major strides: for each axis, the distance in elements
/// between two neighbors along it.
pub fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

// ANCHOR: offsets
/// Lists the offset of each element of a strided view, in row-major order.
pub fn offsets(
    shape: &[usize],
    strides: &[isize],
    start: usize,
) -> impl Iterator<Item = usize> {
    let mut index = vec![0; shape.len()];
    let mut next = start as isize;
    (0..size(shape)).map(move |_| {
        let offset = next as usize;
        // Count like an odometer: the last axis turns fastest.
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            next += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            next -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
        }
        offset
    })
}
// ANCHOR_END: offsets

// ANCHOR: broadcast
/// Returns the shape that two shapes broadcast to, or `None` if they do not
/// fit. Aligned at the right, two sizes fit if they are equal or one of them
/// is 1; a missing axis counts as 1.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let axes = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| {
        let missing = axes - shape.len();
        axis.checked_sub(missing).map_or(1, |own| shape[own])
    };
    let fit = |axis| match (size(a, axis), size(b, axis)) {
        (x, y) if x == y => Some(x),
        (1, other) | (other, 1) => Some(other),
        _ => None,
    };
    (0..axes).map(fit).collect()
}
// ANCHOR_END: broadcast

// ANCHOR: broadcast-axes
/// Lists the axes of `large` along which broadcasting repeats `small`: the
/// axes that `small` lacks, and those where only `small` has size 1.
pub fn broadcast_axes(small: &[usize], large: &[usize]) -> Vec<usize> {
    let missing = large.len() - small.len();
    let is_stretched =
        |&axis: &usize| axis < missing || small[axis - missing] != large[axis];
    (0..large.len()).filter(is_stretched).collect()
}
// ANCHOR_END: broadcast-axes

/// Returns the shape with these axes set to 1, so that the result of a
/// reduction broadcasts to the shape of its operand.
pub fn keepdims(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let sizes = shape.iter().enumerate();
    sizes.map(|(i, &n)| if axes.contains(&i) { 1 } else { n }).collect()
}

/// An element type that can be printed.
pub trait Printed: Copy + Into<f64> + Display + LowerExp {}

impl<T: Copy + Into<f64> + Display + LowerExp> Printed for T {}

/// Formats elements as nested rows: `[[1, 2], [3, 4]]`. If there are more than
/// 100 elements, only the ends of a long axis are shown.
///
/// If the text is too long for a line, each row is printed on a separate line,
/// with aligned columns. The elements then have four decimals, unless
/// `decimals` is given or all of them are integers.
pub fn nested<T: Printed>(
    shape: &[usize],
    values: &[T],
    decimals: Option<usize>,
) -> String {
    const MAX_LINE: usize = 80;
    let is_long = values.len() > 100;
    let line = |decimals| {
        rows(shape, values, is_long, None, &|value| word(value, decimals))
    };
    let short = line(decimals);
    if shape.len() < 2 || short.len() <= MAX_LINE {
        return short;
    }
    let is_integer = |&value: &T| value.into().fract() == 0.0;
    let decimals = match values.iter().all(is_integer) {
        true => decimals,
        false => decimals.or(Some(4)),
    };
    let words = line(decimals);
    let words = words.split(['[', ']', ',', ' ']);
    let words = words.filter(|&word| word != "...");
    let width = words.map(str::len).max().unwrap_or(0);
    rows(shape, values, is_long, Some(1), &|value| {
        format!("{:>width$}", word(value, decimals))
    })
}

/// Formats nested rows on one line, or each on a line that begins with
/// `indent` spaces.
fn rows<T: Copy>(
    shape: &[usize],
    values: &[T],
    is_long: bool,
    indent: Option<usize>,
    word: &dyn Fn(T) -> String,
) -> String {
    let Some((&n, inner)) = shape.split_first() else {
        return values.iter().map(|&value| word(value)).collect();
    };
    let row = |i: usize| {
        let width = values.len() / n;
        let values = &values[i * width..][..width];
        rows(inner, values, is_long, indent.map(|spaces| spaces + 1), word)
    };
    let rows: Vec<String> = match n {
        7.. if is_long => {
            let tail = (n - 3..n).map(row);
            let rest = std::iter::once("...".to_string()).chain(tail);
            (0..3).map(row).chain(rest).collect()
        }
        _ => (0..n).map(row).collect(),
    };
    let separator = match indent {
        Some(spaces) if !inner.is_empty() => {
            format!(",{}{:spaces$}", "\n".repeat(inner.len()), "")
        }
        _ => ", ".to_string(),
    };
    format!("[{}]", rows.join(&separator))
}

/// Formats at most eight values as the notebook prints them: `[2, 3]`.
pub fn list(values: &[f32]) -> String {
    let mut words: Vec<String> =
        values.iter().take(8).map(|&value| word(value, None)).collect();
    if values.len() > 8 {
        words.push(format!("... {} in all", values.len()));
    }
    format!("[{}]", words.join(", "))
}

fn word<T: Printed>(value: T, decimals: Option<usize>) -> String {
    let wide: f64 = value.into();
    let size = wide.abs();
    // Very small and very large values are easier to read with an exponent.
    // Compare as `f32`, because the `f32` nearest to 1e-5 is smaller than the
    // `f64` 1e-5.
    let smallest = decimals.map_or(1e-5, |n| 0.1_f32.powi(n as i32));
    let is_plain = (smallest..1e16).contains(&(size as f32)) || size == 0.0;
    match (is_plain || !size.is_finite(), decimals) {
        (true, None) => format!("{value}"),
        (true, Some(n)) => format!("{wide:.n$}"),
        (false, None) => format!("{value:e}"),
        (false, Some(n)) => format!("{wide:.n$e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_size_rejects_sizes_beyond_memory() {
        let most = isize::MAX as usize / 4;
        assert_eq!(size(&[]), 1);
        assert_eq!(size(&[2, 3, 4]), 24);
        assert_eq!(size(&[most]), most);
        assert_eq!(size(&[most, 0]), 0);
        for shape in [&[most + 1][..], &[most, 2, 0], &[usize::MAX, 3]] {
            assert!(checked_size(shape).is_err(), "{shape:?}");
        }
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[]), Vec::<isize>::new());
    }

    #[test]
    fn shapes_broadcast_when_aligned_sizes_are_equal_or_1() {
        let fits = |a: &[usize], b: &[usize], to: &[usize]| {
            assert_eq!(broadcast(a, b).unwrap(), to);
            assert_eq!(broadcast(b, a).unwrap(), to);
        };
        fits(&[2, 3], &[3], &[2, 3]);
        fits(&[2, 1], &[1, 3], &[2, 3]);
        fits(&[], &[4], &[4]);
        fits(&[0, 3], &[1], &[0, 3]);
        assert_eq!(broadcast(&[2], &[3]), None);
        assert_eq!(broadcast(&[2, 3], &[2]), None);
        assert_eq!(broadcast(&[0], &[2]), None);
    }

    #[test]
    fn broadcast_axes_lists_the_broadcast_axes() {
        assert_eq!(broadcast_axes(&[3], &[2, 3]), [0]);
        assert_eq!(broadcast_axes(&[2, 1], &[2, 3]), [1]);
        assert_eq!(broadcast_axes(&[2, 3], &[2, 3]), [0; 0]);
        assert_eq!(broadcast_axes(&[1], &[1, 1]), [0]);
    }

    #[test]
    fn lists_print_extreme_values_with_exponents() {
        let values = [2.0, -0.5, 0.0, 3.8e-44, -1e20, f32::INFINITY];
        assert_eq!(list(&values), "[2, -0.5, 0, 3.8e-44, -1e20, inf]");
        assert_eq!(list(&[f32::NAN, 1e-5]), "[NaN, 0.00001]");
        assert_eq!(list(&[1.0; 8]), "[1, 1, 1, 1, 1, 1, 1, 1]");
        assert_eq!(list(&[1.0; 9]), "[1, 1, 1, 1, 1, 1, 1, 1, ... 9 in all]");
    }

    #[test]
    fn nested_lists_show_the_shape() {
        let nested =
            |shape: &[usize], values: &[f32]| nested(shape, values, None);
        assert_eq!(nested(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), "[[1, 2], [3, 4]]");
        assert_eq!(nested(&[2, 1], &[2.0, 4.0]), "[[2], [4]]");
        assert_eq!(nested(&[], &[0.5]), "0.5");
        assert_eq!(nested(&[0], &[]), "[]");
        assert_eq!(nested(&[2, 0], &[]), "[[], []]");
        let long: Vec<f32> = (0..101).map(|i| i as f32).collect();
        let ends = "[0, 1, 2, ..., 98, 99, 100]";
        assert_eq!(nested(&[101], &long), ends);
        let hundred = nested(&[100], &long[..100]);
        assert_eq!(hundred.split(", ").count(), 100, "{hundred}");
    }

    /// Promise: A matrix that is too long for a line is printed in rows with
    /// four decimals, and a precision is honored.
    #[test]
    fn a_long_matrix_is_printed_in_rows() {
        let values: Vec<f32> = (0..24).map(|i| i as f32 / 7.0 - 1.0).collect();
        let rows = "\
[[-1.0000, -0.8571, -0.7143, -0.5714, -0.4286, -0.2857, -0.1429,  0.0000],
 [ 0.1429,  0.2857,  0.4286,  0.5714,  0.7143,  0.8571,  1.0000,  1.1429],
 [ 1.2857,  1.4286,  1.5714,  1.7143,  1.8571,  2.0000,  2.1429,  2.2857]]";
        assert_eq!(nested(&[3, 8], &values, None), rows);
        let rows = nested(&[3, 2, 4], &values, Some(1));
        let first = "[[[-1.0, -0.9, -0.7, -0.6],\n  [-0.4, -0.3, -0.1,  0.0]],";
        assert!(rows.starts_with(first), "{rows}");
        let many: Vec<f32> = (0..10_000).map(|i| i as f32).collect();
        let rows = nested(&[100, 100], &many, None);
        assert_eq!(rows.lines().count(), 7);
        let first = "[[   0,    1,    2, ...,   97,   98,   99],";
        assert_eq!(rows.lines().next(), Some(first));
        let blocks = nested(&[2, 50, 100], &many, None);
        assert!(blocks.contains("],\n\n [["), "{blocks}");
        assert_eq!(nested(&[2], &[1.25, 2e-3], Some(2)), "[1.25, 2.00e-3]");
    }

    #[test]
    fn offsets_follow_any_strides() {
        let list = |shape: &[usize], strides: &[isize], start| {
            offsets(shape, strides, start).collect::<Vec<_>>()
        };
        assert_eq!(list(&[2, 3], &[3, 1], 0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(list(&[3, 2], &[1, 3], 0), [0, 3, 1, 4, 2, 5]);
        assert_eq!(list(&[2, 2], &[0, 1], 1), [1, 2, 1, 2]);
        assert_eq!(list(&[3], &[-1], 2), [2, 1, 0]);
        assert_eq!(list(&[], &[], 5), [5]);
        assert!(list(&[0, 2], &[2, 1], 0).is_empty());
    }
}
