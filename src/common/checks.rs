//! Checks of the arguments of operations, with the same error messages in
//! every part. A check takes shapes and devices instead of tensors, so it does
//! not depend on a part.
//!
//! The checks of two operands come first, then the checks of a single operand;
//! the checks of gradients are in `gradients.rs`.

mod gradients;

use std::fmt::Display;
use std::ops::Range;

pub use gradients::{gradient, gradients, one_element, only_element, seed};

use smallvec::SmallVec;

use crate::error::{Error, Result, ShapeRule};
use crate::shape::{self, Axis, Span, checked_size};

fn mistake<T>(sentence: String) -> Result<T> {
    Err(Error::Mistake(sentence))
}

fn mismatch<T>(
    op: impl Display,
    left: &[usize],
    right: &[usize],
    rule: ShapeRule,
) -> Result<T> {
    let (left, right) = (left.to_vec(), right.to_vec());
    Err(Error::ShapeMismatch { op: op.to_string(), left, right, rule })
}

/// Checks that two operands are on the same device. The remedy in the message
/// differs from part to part.
pub fn same_device<D: PartialEq + Display>(
    op: impl Display,
    [a, b]: [D; 2],
    remedy: &str,
) -> Result<()> {
    match a == b {
        true => Ok(()),
        false => Err(Error::DeviceMismatch {
            op: op.to_string(),
            left: a.to_string(),
            right: b.to_string(),
            remedy: remedy.to_string(),
        }),
    }
}

/// Returns the shape that two shapes broadcast to.
pub fn broadcast(
    op: impl Display,
    a: &[usize],
    b: &[usize],
) -> Result<Vec<usize>> {
    match shape::broadcast(a, b) {
        Some(shape) => checked_size(&shape).map(|_| shape),
        None => mismatch(op, a, b, ShapeRule::Broadcast),
    }
}

/// Checks a hyperparameter that must be finite and not negative, such as a
/// learning rate.
pub fn not_negative(
    op: impl Display,
    name: &str,
    value: impl Into<f64> + Display + Copy,
) -> Result<()> {
    match value.into().is_finite() && value.into() >= 0.0 {
        true => Ok(()),
        false => mistake(format!(
            "{op}: the {name} is {value}; give a finite number that is at \
             least 0"
        )),
    }
}

/// Checks a decay factor such as momentum, which must be in `0.0..1.0`.
pub fn kept_fraction(
    op: impl Display,
    name: &str,
    value: impl Into<f64> + Display + Copy,
) -> Result<()> {
    match (0.0..1.0).contains(&value.into()) {
        true => Ok(()),
        false => mistake(format!(
            "{op}: the {name} is {value}; give a number from 0 to below 1"
        )),
    }
}

/// Checks that two operands have the same shape.
pub fn same_shape(op: impl Display, a: &[usize], b: &[usize]) -> Result<()> {
    match a == b {
        true => Ok(()),
        false => mismatch(op, a, b, ShapeRule::Equal),
    }
}

/// Checks that the number of values equals the number of elements of a shape.
pub fn element_count(shape: &[usize], values: usize) -> Result<()> {
    match checked_size(shape)? == values {
        true => Ok(()),
        false => Err(Error::ElementCount { shape: shape.to_vec(), values }),
    }
}

/// Returns the shape of a batched matrix product:
/// (.., m, k) x (.., k, n) -> (.., m, n). The leading axes must be equal.
pub fn matmul(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    match (a, b) {
        ([outer @ .., m, k], [other @ .., l, n])
            if outer == other && k == l =>
        {
            let shape = [outer, &[*m, *n]].concat();
            checked_size(&shape).map(|_| shape)
        }
        _ => mismatch("matmul", a, b, ShapeRule::Matmul),
    }
}

/// Returns the shape of a contraction: (batch.., rows.., inner..) x
/// (batch.., columns.., inner..) -> (batch.., rows.., columns..). `batch` and
/// `summed` are the numbers of batch axes and of inner axes.
pub fn contract(
    a: &[usize],
    b: &[usize],
    batch: usize,
    summed: usize,
) -> Result<Vec<usize>> {
    let parts = |shape: &[usize]| {
        let lines = shape.len().checked_sub(batch + summed)?;
        let (outer, rest) = shape.split_at(batch);
        let (lines, inner) = rest.split_at(lines);
        Some([outer, lines, inner].map(<[usize]>::to_vec))
    };
    match (parts(a), parts(b)) {
        (Some([outer, rows, along]), Some([other, columns, same]))
            if outer == other && along == same =>
        {
            let shape = [outer, rows, columns].concat();
            checked_size(&shape).map(|_| shape)
        }
        _ => mismatch("contract", a, b, ShapeRule::Contract { batch, summed }),
    }
}

/// Returns the shape of a matrix product without batch axes:
/// (m, k) x (k, n) -> (m, n).
pub fn matmul_2d(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    match (a, b) {
        ([_, _], [_, _]) => matmul(a, b),
        _ => mismatch("matmul", a, b, ShapeRule::Matmul),
    }
}

/// Checks that an axis exists, and returns its index.
pub fn axis(
    op: impl Display,
    shape: &[usize],
    axis: impl Axis,
) -> Result<usize> {
    axis.index(shape.len()).ok_or_else(|| Error::AxisOutOfRange {
        op: op.to_string(),
        axis: axis.number(),
        shape: shape.to_vec(),
    })
}

/// Checks that each axis exists and is listed once, and returns their indices.
pub fn axes(
    op: impl Display,
    shape: &[usize],
    axes: &[impl Axis],
) -> Result<SmallVec<[usize; 4]>> {
    let mut indices = SmallVec::new();
    for &axis in axes {
        let index = self::axis(&op, shape, axis)?;
        if indices.contains(&index) {
            return Err(Error::RepeatedAxis {
                op: op.to_string(),
                axis: index,
                axes: axes.iter().map(|axis| axis.number()).collect(),
            });
        }
        indices.push(index);
    }
    Ok(indices)
}

/// Checks that none of these axes is empty, because a maximum of no elements
/// does not exist.
pub fn not_empty(
    op: impl Display,
    shape: &[usize],
    axes: &[usize],
) -> Result<()> {
    match axes.iter().any(|&axis| shape[axis] == 0) {
        false => Ok(()),
        true => mistake(format!(
            "{op}: shape {shape:?} has no element along {axes:?}, and of none \
             there is no {op}; look at the shape first"
        )),
    }
}

/// Checks that there is at least one axis.
pub fn last_axis(op: impl Display, shape: &[usize]) -> Result<()> {
    match shape.is_empty() {
        false => Ok(()),
        true => mistake(format!(
            "{op}: a tensor without axes has no row; reshape it to [1, 1]"
        )),
    }
}

/// Checks that there are at least two axes to swap.
pub fn two_axes(op: impl Display, shape: &[usize]) -> Result<()> {
    match shape.len() {
        2.. => Ok(()),
        _ => mistake(format!(
            "{op}: shape {shape:?} has no two axes to exchange; reshape it to \
             a matrix"
        )),
    }
}

/// Checks that each span is within its axis. Returns one span with an end for
/// every axis; an axis without a span is taken whole.
pub fn slice(
    op: impl Display,
    shape: &[usize],
    mut spans: Vec<Span>,
) -> Result<Vec<Span>> {
    if spans.len() > shape.len() {
        return mistake(format!(
            "{op}: {} ranges for shape {shape:?}; give at most one for each \
             axis",
            spans.len()
        ));
    }
    for (axis, (span, &size)) in spans.iter().zip(shape).enumerate() {
        if span.step == 0 {
            return mistake(format!(
                "{op}: {span:?} along axis {axis} goes nowhere; a step is at \
                 least 1"
            ));
        }
        if !span.fits(size) {
            return mistake(format!(
                "{op}: {span:?} does not lie in axis {axis} of shape \
                 {shape:?}, which has {}",
                elements(size)
            ));
        }
    }
    spans.resize(shape.len(), Span::from(..));
    Ok(spans.iter().zip(shape).map(|(span, &n)| span.of(n)).collect())
}

fn elements(size: usize) -> String {
    match size.checked_sub(1) {
        None => "no elements".to_string(),
        Some(last) => format!("the elements 0 to {last}"),
    }
}

/// Checks that the axis exists and that each index is within it.
pub fn indices(
    op: impl Display,
    shape: &[usize],
    axis: usize,
    indices: &[usize],
) -> Result<()> {
    self::axis(&op, shape, axis)?;
    match indices.iter().find(|&&index| index >= shape[axis]) {
        None => Ok(()),
        Some(index) => mistake(format!(
            "{op}: there is no element {index} along axis {axis} of shape \
             {shape:?}, which has {}",
            elements(shape[axis])
        )),
    }
}

/// Checks the indices of a gather, one for each element of the shape `to`, and
/// returns the row-major offset of each element to read. It has the position
/// of the result element along every axis except `axis`.
pub fn gather(
    op: impl Display,
    shape: &[usize],
    axis: usize,
    to: &[usize],
    indices: &[usize],
) -> Result<Vec<usize>> {
    self::indices(&op, shape, axis, indices)?;
    let is_inside =
        |(i, (&to, &size)): (usize, (&usize, &usize))| i == axis || to <= size;
    let mut axes = to.iter().zip(shape).enumerate();
    if to.len() != shape.len() || !axes.all(is_inside) {
        return mistake(format!(
            "{op}: indices of shape {to:?} for shape {shape:?}; it must have \
             as many axes, and none but axis {axis} may be longer"
        ));
    }
    if checked_size(to)? != indices.len() {
        return mistake(format!(
            "{op}: {} indices for shape {to:?}, which has {} elements; give \
             one for each",
            indices.len(),
            checked_size(to)?
        ));
    }
    let mut strides = shape::strides(shape);
    let step = std::mem::take(&mut strides[axis]) as usize;
    let starts = shape::offsets(to, &strides, 0);
    let offsets = starts.zip(indices).map(|(start, i)| start + i * step);
    Ok(offsets.collect())
}

/// Returns the shape after padding each axis with `[before, after]` elements,
/// and the range of each axis that holds the original elements.
pub fn pad(
    shape: &[usize],
    widths: &[[usize; 2]],
) -> Result<(Vec<usize>, Vec<Range<usize>>)> {
    if widths.len() != shape.len() {
        return mistake(format!(
            "pad: {} pairs of widths for shape {shape:?}; give each axis a \
             pair, before and behind",
            widths.len()
        ));
    }
    let axes = || shape.iter().zip(widths);
    let padded = axes().map(|(n, [before, after])| {
        before.saturating_add(*after).saturating_add(*n)
    });
    let padded: Vec<usize> = padded.collect();
    // A saturated size is rejected here.
    checked_size(&padded)?;
    let inner = axes().map(|(n, [before, _])| *before..before + n);
    Ok((padded, inner.collect()))
}

/// Checks that the new shape has the same number of elements as the old one.
pub fn reshape(from: &[usize], to: &[usize]) -> Result<()> {
    let (size, wanted) = (checked_size(from)?, checked_size(to)?);
    match size == wanted {
        true => Ok(()),
        false => mistake(format!(
            "reshape: {from:?} has {size} elements, {to:?} has {wanted}; keep \
             the number of elements"
        )),
    }
}

/// Checks that a matrix of scores has one valid label per row, and returns the
/// number of rows and of classes.
pub fn labels(
    op: impl Display,
    shape: &[usize],
    labels: &[usize],
) -> Result<[usize; 2]> {
    let (rows, classes) = match *shape {
        [rows, classes] if classes > 0 => (rows, classes),
        _ => {
            return mistake(format!(
                "{op}: the scores have shape {shape:?}; it must be (rows, \
                 classes), with at least one class"
            ));
        }
    };
    if rows != labels.len() {
        return mistake(format!(
            "{op}: {rows} rows of scores and {} labels; give one label for \
             each row",
            labels.len()
        ));
    }
    match labels.iter().find(|&&label| label >= classes) {
        None => Ok([rows, classes]),
        Some(label) => mistake(format!(
            "{op}: label {label} with {classes} classes; labels count from 0 \
             to {}",
            classes - 1
        )),
    }
}
