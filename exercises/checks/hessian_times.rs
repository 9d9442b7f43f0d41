//! Checks `hessian_times`, the directional derivative of a gradient.
//!
//! The expected values are central differences of the engine's own gradients,
//! so no second derivative is needed to compute them.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, drawn, wrong};
use rungrad::part3_unified::{Device, Tensor, grad};

exercises::yours!("part3_unified/hessian_times.rs");

fn main() -> ExitCode {
    check(
        "hessian_times",
        YOURS,
        &[
            ("x0² * x1 + x1³, in the direction (1, -2)", polynomial),
            ("the second derivatives of a linear function are 0", straight),
            ("x keeps no gradient", clean),
        ],
    )
}

fn leaf(values: &[f32]) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&[values.len()], values, Device::Cpu)?.requires_grad())
}

fn row(values: &[f32]) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&[values.len()], values, Device::Cpu)?)
}

/// x0² · x1 + x1³, computed with a view and a product.
fn f(x: &Tensor) -> Tensor {
    let [a, b] = [0, 1].map(|i: usize| x.slice(i..i + 1));
    (a.mul(&a).mul(&b)).add(&b.mul(&b).mul(&b)).sum()
}

/// Adds a multiple of v, which only a variant does.
fn damped<const N: usize>(product: [f32; N], v: &[f32]) -> [f32; N] {
    let damping = drawn("damping").unwrap_or(0.0);
    std::array::from_fn(|i| product[i] + damping * v[i])
}

/// (2 x1, 2 x0; 2 x0, 6 x1) times v.
fn right(x: &[f32], v: &[f32], rows: bool) -> [f32; 2] {
    let [a, b] = [x[0], x[1]];
    let matrix = [[2.0 * b, 2.0 * a], [2.0 * a, 6.0 * b]];
    matrix.map(|row| match rows {
        true => row[0] + row[1],
        false => row[0] * v[0] + row[1] * v[1],
    })
}

fn polynomial(_: &()) -> Outcome {
    let (at, along) = ([2.0, 0.5], [1.0, -2.0]);
    let (x, v) = (leaf(&at)?, row(&along)?);
    let yours = yours::hessian_times(&f, &x, &v).to_vec()?;
    let wanted = damped(right(&at, &along, false), &along);
    let is = |other: &[f32]| {
        yours.len() == other.len()
            && yours.iter().zip(other).all(|(y, o)| (y - o).abs() < 1e-3)
    };
    if is(&wanted) {
        return Ok(());
    }
    let rows = right(&at, &along, true);
    let weighed = [rows[0] * along[0], rows[1] * along[1]];
    let first = grad(&[&f(&x)], &[&x], false).remove(0).to_vec()?;
    let why = if is(&weighed) {
        "You have multiplied by v at the end. That is the sum of each row \
         times v: multiply by v before you take the sum that is \
         differentiated."
    } else if is(&rows) {
        "That is the result for the direction (1, 1): v is missing."
    } else if is(&first) {
        "These are the first derivatives. Differentiate them once more."
    } else {
        ""
    };
    Err(wrong(format!(
        "At x = {at:?}, in the direction v = {along:?}, your answer is wrong. \
         {why}\n\n  yours  {yours:?}\n  right  {wanted:?}"
    )))
}

fn straight(_: &()) -> Outcome {
    let along = [1.0, 1.0, -1.0];
    let (x, v) = (leaf(&[1.0, 2.0, 3.0])?, row(&along)?);
    let yours = yours::hessian_times(&|x| x.sum(), &x, &v).to_vec()?;
    let wanted = damped([0.0; 3], &along);
    match yours == wanted {
        true => Ok(()),
        false => Err(wrong(format!(
            "The derivatives of a linear function are constant, so the result \
             should be {wanted:?}, but yours is {yours:?}."
        ))),
    }
}

fn clean(_: &()) -> Outcome {
    let (x, v) = (leaf(&[1.0, 2.0])?, row(&[1.0, 0.0])?);
    let _ = yours::hessian_times(&f, &x, &v);
    match x.grad() {
        None => Ok(()),
        Some(_) => Err(wrong(
            "x has a gradient now, which the next training step would use. \
             `grad` returns gradients, `backward` leaves them in the leaves.",
        )),
    }
}
