//! Default implementations of some primitives, composed of the others.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::super::number::Real;
use super::{Array, Binary, Reduce, Shared, Unary};
use crate::error::Result;
use crate::ops::Keep;
use crate::shape::size;

/// The default of [`super::Backend::softmax`].
pub(super) fn softmax(a: &Array) -> Result<Shared> {
    Ok(a.log_softmax()?.unary(Unary::Exp)?.storage)
}

/// The default of [`super::Backend::log_softmax`].
pub(super) fn log_softmax(a: &Array) -> Result<Shared> {
    let subtract = |a: &Array, row: Array| {
        let row = row.unary(Unary::Scale(-1.0))?.expand(a.shape())?;
        a.binary(Binary::Add, &row)
    };
    // Subtracting the maximum of each row keeps every exponential at most 1.
    let most = a.reduce(Reduce::Max, &[1], Keep::Yes)?;
    let shifted = subtract(a, most)?;
    let total = shifted.unary(Unary::Exp)?;
    let total = total.reduce(Reduce::Sum, &[1], Keep::Yes)?;
    Ok(subtract(&shifted, total.unary(Unary::Log)?)?.storage)
}

/// The default of [`super::Backend::max_share`].
pub(super) fn max_share(
    a: &Array,
    most: &Array,
    grads: &Array,
    axes: &[usize],
) -> Result<Shared> {
    // A NaN is not equal to itself, so `is_nan = 1 - (a == a)`.
    let minus_self_equal =
        a.binary(Binary::Eq, a)?.unary(Unary::Scale(-1.0))?;
    let is_nan = minus_self_equal.unary(Unary::Shift(1.0))?;
    let equal = a.binary(Binary::Eq, &most.expand(a.shape())?)?;
    let winners = equal.binary(Binary::Add, &is_nan)?;
    let count = winners.reduce(Reduce::Sum, axes, Keep::Yes)?;
    let share = grads.binary(Binary::Div, &count)?.expand(a.shape())?;
    Ok(winners.binary(Binary::Mul, &share)?.storage)
}

/// Merges the axes of each kind: (batch.., lines.., inner..) -> (batch, lines,
/// inner). Copies if no strides can express the result.
pub(super) fn matrices(a: &Array, batch: usize, inner: usize) -> Result<Array> {
    let (axes, shape) = (a.shape().len() - inner, a.shape());
    let sizes = [&shape[..batch], &shape[batch..axes], &shape[axes..]];
    a.reshape(&sizes.map(size))
}

/// The default of [`super::Backend::log_softmax_grads`]: `grad_out - exp(y) *
/// sum(grad_out)`, with the sum over each row.
pub(super) fn log_softmax_grads(y: &Array, grad_out: &Array) -> Result<Shared> {
    let last = [y.shape().len() - 1];
    let total = grad_out.reduce(Reduce::Sum, &last, Keep::Yes)?;
    let total = total.unary(Unary::Scale(-1.0))?.expand(y.shape())?;
    let share = y.unary(Unary::Exp)?.binary(Binary::Mul, &total)?;
    Ok(grad_out.binary(Binary::Add, &share)?.storage)
}

/// The default of [`super::Backend::gelu_grads`].
pub(super) fn gelu_grads(a: &Array, grad_out: &Array) -> Result<Shared> {
    let slope = a.unary(Unary::GeluSlope)?;
    Ok(grad_out.binary(Binary::Mul, &slope)?.storage)
}

/// The density of the standard normal distribution at 0, `1 / sqrt(2 pi)`.
pub(super) const NORMAL_PDF_AT_0: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// Returns the cumulative distribution function of the standard normal
/// distribution at `x`.
pub(super) fn normal_cdf<T: Real>(x: T) -> T {
    let half = T::nearest(0.5);
    half + half * (x * T::nearest(FRAC_1_SQRT_2)).erf()
}
