//! Default implementations of some primitives, composed of the others. They
//! work on arrays: nothing here is recorded in a graph. A backend with a kernel
//! for only some operands can call them for the rest.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::number::Real;
use super::{AdamStep, Array, Binary, Reduce, Shared, Unary};
use crate::error::Result;
use crate::ops::Keep;
use crate::shape::size;

/// The default of [`super::Backend::softmax`].
pub fn softmax(a: &Array) -> Result<Shared> {
    Ok(a.log_softmax()?.unary(Unary::Exp)?.storage)
}

/// The default of [`super::Backend::log_softmax`].
pub fn log_softmax(a: &Array) -> Result<Shared> {
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

/// The default of [`super::Backend::max_backward`].
pub fn max_backward(
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
pub fn matrices(a: &Array, batch: usize, inner: usize) -> Result<Array> {
    let (axes, shape) = (a.shape().len() - inner, a.shape());
    let sizes = [&shape[..batch], &shape[batch..axes], &shape[axes..]];
    a.reshape(&sizes.map(size))
}

/// The default of [`super::Backend::log_softmax_grads`]: `grad_out - exp(y) *
/// sum(grad_out)`, with the sum over each row.
pub fn log_softmax_grads(y: &Array, grad_out: &Array) -> Result<Shared> {
    let last = [y.shape().len() - 1];
    let total = grad_out.reduce(Reduce::Sum, &last, Keep::Yes)?;
    let total = total.unary(Unary::Scale(-1.0))?.expand(y.shape())?;
    let share = y.unary(Unary::Exp)?.binary(Binary::Mul, &total)?;
    Ok(grad_out.binary(Binary::Add, &share)?.storage)
}

/// The default of [`super::Backend::gelu_grads`].
pub fn gelu_grads(a: &Array, grad_out: &Array) -> Result<Shared> {
    let slope = a.unary(Unary::GeluSlope)?;
    Ok(grad_out.binary(Binary::Mul, &slope)?.storage)
}

/// The default of [`super::Backend::layer_norm`].
pub fn layer_norm(
    [x, weight, bias]: [&Array; 3],
    epsilon: f64,
) -> Result<Shared> {
    let axes = last_axes(x, weight.shape().len());
    let [normalized, _] = normalize(x, &axes, epsilon)?;
    let scaled = mul(&normalized, weight)?;
    let bias = bias.expand(x.shape())?;
    Ok(scaled.binary(Binary::Add, &bias)?.storage)
}

/// The default of [`super::Backend::layer_norm_grads`].
pub fn layer_norm_grads(
    [x, grad_out, weight]: [&Array; 3],
    epsilon: f64,
) -> Result<[Shared; 3]> {
    let axes = last_axes(x, weight.shape().len());
    let [normalized, deviation] = normalize(x, &axes, epsilon)?;
    let g = mul(grad_out, weight)?;
    let mean_product = mean(&mul(&g, &normalized)?, &axes)?;
    let projection = mul(&normalized, &mean_product)?;
    let grad_x = sub(&sub(&g, &mean(&g, &axes)?)?, &projection)?;
    let deviation = deviation.expand(x.shape())?;
    let grad_x = grad_x.binary(Binary::Div, &deviation)?;
    // The weight and the bias belong to every row.
    let rows: Vec<usize> = (0..axes[0]).collect();
    let sum = |a: &Array| -> Result<Shared> {
        let total = match rows.is_empty() {
            true => a.clone(),
            false => a.reduce(Reduce::Sum, &rows, Keep::No)?,
        };
        Ok(total.compact()?.storage)
    };
    let grad_weight = sum(&mul(grad_out, &normalized)?)?;
    Ok([grad_x.storage, grad_weight, sum(grad_out)?])
}

/// Returns `x` with mean 0 and variance 1 over `axes`, and the standard
/// deviation that it was divided by.
fn normalize(x: &Array, axes: &[usize], epsilon: f64) -> Result<[Array; 2]> {
    let centered = sub(x, &mean(x, axes)?)?;
    let variance = mean(&mul(&centered, &centered)?, axes)?;
    let deviation =
        variance.unary(Unary::Shift(epsilon))?.unary(Unary::Sqrt)?;
    let divisor = deviation.expand(x.shape())?;
    Ok([centered.binary(Binary::Div, &divisor)?, deviation])
}

/// Returns the indices of the last `count` axes.
fn last_axes(x: &Array, count: usize) -> Vec<usize> {
    let rank = x.shape().len();
    (rank - count..rank).collect()
}

/// Returns the mean over `axes`, which keep size 1.
fn mean(a: &Array, axes: &[usize]) -> Result<Array> {
    let count: usize = axes.iter().map(|&axis| a.shape()[axis]).product();
    let total = a.reduce(Reduce::Sum, axes, Keep::Yes)?;
    total.unary(Unary::Scale(1.0 / count as f64))
}

/// Subtracts `b`, broadcast to the shape of `a`.
fn sub(a: &Array, b: &Array) -> Result<Array> {
    let negated = b.unary(Unary::Scale(-1.0))?;
    a.binary(Binary::Add, &negated.expand(a.shape())?)
}

/// Multiplies by `b`, broadcast to the shape of `a`.
fn mul(a: &Array, b: &Array) -> Result<Array> {
    a.binary(Binary::Mul, &b.expand(a.shape())?)
}

/// The default of [`super::Backend::self_attention`].
pub fn self_attention(a: &Array, heads: usize) -> Result<Shared> {
    let [queries, keys, values] = split_heads(a, heads)?;
    let weights = attention_weights(&queries, &keys)?;
    let mixed = weights.contract(&transpose(&values)?, 2, 1)?;
    let shape = [a.shape()[0], a.shape()[1], a.shape()[2] / 3];
    let mixed = mixed.permute(&[0, 2, 1, 3])?.reshape(&shape)?;
    Ok(mixed.compact()?.storage)
}

/// The default of [`super::Backend::self_attention_grads`].
pub fn self_attention_grads(
    a: &Array,
    grad_out: &Array,
    heads: usize,
) -> Result<Shared> {
    let [queries, keys, values] = split_heads(a, heads)?;
    let [n, _, positions, width] = [0, 1, 2, 3].map(|i| queries.shape()[i]);
    let above = grad_out.reshape(&[n, positions, heads, width])?;
    let above = above.permute(&[0, 2, 1, 3])?;
    let weights = attention_weights(&queries, &keys)?;
    let grad_values =
        transpose(&weights)?.contract(&transpose(&above)?, 2, 1)?;
    let grad_weights = above.contract(&values, 2, 1)?;
    let total = mul(&weights, &grad_weights)?;
    let total = total.reduce(Reduce::Sum, &[3], Keep::Yes)?;
    let grad_scores = mul(&weights, &sub(&grad_weights, &total)?)?;
    let scaled = |a: &Array| a.unary(Unary::Scale(1.0 / (width as f64).sqrt()));
    let (queries, keys) = (scaled(&queries)?, scaled(&keys)?);
    let grad_queries = grad_scores.contract(&transpose(&keys)?, 2, 1)?;
    let grad_keys =
        transpose(&grad_scores)?.contract(&transpose(&queries)?, 2, 1)?;
    let mut parts = Vec::new();
    for part in [grad_queries, grad_keys, grad_values] {
        let part = part.permute(&[0, 2, 1, 3])?;
        parts.push(part.reshape(&[n, positions, 1, heads, width])?);
    }
    let all = Array::cat(&[&parts[0], &parts[1], &parts[2]], 2)?;
    Ok(all.compact()?.storage)
}

/// Splits (n, positions, 3 * width) into the queries, keys and values of each
/// head: three arrays (n, heads, positions, width / heads).
fn split_heads(a: &Array, heads: usize) -> Result<[Array; 3]> {
    let [n, positions, all] = [0, 1, 2].map(|axis| a.shape()[axis]);
    let width = all / 3 / heads;
    let parts = a.reshape(&[n, positions, 3, heads, width])?;
    let parts = parts.permute(&[2, 0, 3, 1, 4])?.compact()?;
    let part = |i: usize| -> Result<Array> {
        parts.slice(&[i..i + 1])?.reshape(&[n, heads, positions, width])
    };
    Ok([part(0)?, part(1)?, part(2)?])
}

/// Returns the probability with which each position attends to each other one,
/// (n, heads, positions, positions).
fn attention_weights(queries: &Array, keys: &Array) -> Result<Array> {
    let [positions, width] = [2, 3].map(|axis| queries.shape()[axis]);
    // Scale the queries, because there are fewer of them than scores.
    let scaled = queries.unary(Unary::Scale(1.0 / (width as f64).sqrt()))?;
    let scores = scaled.contract(keys, 2, 1)?;
    // A position does not see later positions.
    let mask: Vec<f32> = (0..positions * positions)
        .map(|i| match i % positions > i / positions {
            true => f32::NEG_INFINITY,
            false => 0.0,
        })
        .collect();
    let mask = Array::new(&[positions, positions], &mask, queries.device())?;
    let mask = mask.to_dtype(queries.dtype())?.expand(scores.shape())?;
    scores.binary(Binary::Add, &mask)?.softmax()
}

/// Swaps the last two axes of an array with four.
fn transpose(a: &Array) -> Result<Array> {
    a.permute(&[0, 1, 3, 2])
}

/// The default of [`super::Backend::adam_step`].
pub fn adam_step(
    step: &AdamStep,
    [x, grad, mean, square]: [&Array; 4],
) -> Result<[Array; 3]> {
    let scaled = |a: &Array, factor| match factor == 1.0 {
        true => Ok(a.clone()),
        false => a.unary(Unary::Scale(factor)),
    };
    let sum = |a: &Array, a_factor, b: &Array, b_factor| {
        scaled(a, a_factor)?.binary(Binary::Add, &scaled(b, b_factor)?)
    };
    let squared = grad.binary(Binary::Mul, grad)?;
    let mean = sum(mean, step.betas[0], grad, step.one_minus_betas[0])?;
    let square = sum(square, step.betas[1], &squared, step.one_minus_betas[1])?;
    let root = square
        .unary(Unary::Sqrt)?
        .unary(Unary::DivScalar(step.bias_correction))?;
    let direction =
        mean.binary(Binary::Div, &root.unary(Unary::Shift(step.epsilon))?)?;
    Ok([sum(x, step.decay_factor, &direction, step.rate)?, mean, square])
}

/// The density of the standard normal distribution at 0, `1 / sqrt(2 pi)`.
pub(super) const NORMAL_PDF_AT_0: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// Returns the cumulative distribution function of the standard normal
/// distribution at `x`.
pub(super) fn normal_cdf<T: Real>(x: T) -> T {
    let half = T::nearest(0.5);
    half + half * (x * T::nearest(FRAC_1_SQRT_2)).erf()
}
