//! Primitives that are computed by the others, for a device that has no way of
//! its own.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::super::number::Real;
use super::{Array, Binary, Reduce, Shared, Unary};
use crate::error::Result;
use crate::ops::Keep;
use crate::shape::size;

/// Computes [`super::Backend::softmax`] by other operations.
pub(super) fn softmax(a: &Array) -> Result<Shared> {
    Ok(a.log_softmax()?.unary(Unary::Exp)?.storage)
}

/// Computes [`super::Backend::log_softmax`] by other operations.
pub(super) fn log_softmax(a: &Array) -> Result<Shared> {
    let less = |a: &Array, row: Array| {
        let row = row.unary(Unary::Scale(-1.0))?.expand(a.shape())?;
        a.binary(Binary::Add, &row)
    };
    // The largest of a row becomes 0, so no exponential exceeds 1.
    let most = a.reduce(Reduce::Max, &[1], Keep::Yes)?;
    let shifted = less(a, most)?;
    let total = shifted.unary(Unary::Exp)?;
    let total = total.reduce(Reduce::Sum, &[1], Keep::Yes)?;
    Ok(less(&shifted, total.unary(Unary::Log)?)?.storage)
}

/// Computes [`super::Backend::max_share`] by other operations.
pub(super) fn max_share(
    a: &Array,
    most: &Array,
    grads: &Array,
    axes: &[usize],
) -> Result<Shared> {
    // A NaN is not equal to itself.
    let itself = a.binary(Binary::Eq, a)?.unary(Unary::Scale(-1.0))?;
    let equal = a.binary(Binary::Eq, &most.expand(a.shape())?)?;
    let winners =
        equal.binary(Binary::Add, &itself.unary(Unary::Shift(1.0))?)?;
    let count = winners.reduce(Reduce::Sum, axes, Keep::Yes)?;
    let share = grads.binary(Binary::Div, &count)?.expand(a.shape())?;
    Ok(winners.binary(Binary::Mul, &share)?.storage)
}

/// Joins the axes of each kind: (batch.., lines.., inner..) -> (batch, lines,
/// inner). Copies where no strides can say that.
pub(super) fn matrices(a: &Array, batch: usize, inner: usize) -> Result<Array> {
    let (axes, shape) = (a.shape().len() - inner, a.shape());
    let sizes = [&shape[..batch], &shape[batch..axes], &shape[axes..]];
    a.reshape(&sizes.map(size))
}

/// Computes [`super::Backend::log_softmax_grads`] by other operations.
pub(super) fn log_softmax_grads(y: &Array, grad_out: &Array) -> Result<Shared> {
    let last = [y.shape().len() - 1];
    let total = grad_out.reduce(Reduce::Sum, &last, Keep::Yes)?;
    let total = total.unary(Unary::Scale(-1.0))?.expand(y.shape())?;
    let share = y.unary(Unary::Exp)?.binary(Binary::Mul, &total)?;
    Ok(grad_out.binary(Binary::Add, &share)?.storage)
}

/// Computes [`super::Backend::gelu_grads`] by other operations.
pub(super) fn gelu_grads(a: &Array, grad_out: &Array) -> Result<Shared> {
    let slope = a.unary(Unary::GeluSlope)?;
    Ok(grad_out.binary(Binary::Mul, &slope)?.storage)
}

/// How high a bell curve is in the middle: `1 / sqrt(2 pi)`.
pub(super) const HEIGHT: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// Computes the share of a bell that lies below a number.
pub(super) fn below<T: Real>(x: T) -> T {
    let half = T::nearest(0.5);
    half + half * (x * T::nearest(FRAC_1_SQRT_2)).erf()
}
