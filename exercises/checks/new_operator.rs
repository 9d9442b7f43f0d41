//! Checks `new_operator`, an operation with its own backward rule.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, wrong};
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::tape::Tape;

exercises::yours!("part3_unified/new_operator.rs");

fn main() -> ExitCode {
    check(
        "new_operator",
        YOURS,
        &[
            ("ln(1 + e^x) of small numbers", values),
            ("ln(1 + e^x) of numbers whose exponential overflows", large),
            ("its gradient", gradient),
            ("its second derivative", second),
            ("the same on every device of this machine", everywhere),
        ],
    )
}

const SMALL: [f32; 5] = [-2.5, -0.75, 0.0, 0.5, 3.0];
const LARGE: [f32; 5] = [-200.0, -40.0, 0.25, 90.0, 200.0];
const WEIGHTS: [f32; 5] = [1.5, -2.0, 0.75, 3.0, -0.5];

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn leaf(values: &[f32], device: Device) -> Result<Tensor, Stop> {
    let tensor = Tensor::new(&[values.len()], values, device)?;
    Ok(tensor.requires_grad())
}

/// Compares each element with the expected one.
fn near(
    what: &str,
    yours: &Tensor,
    at: &[f32],
    right: impl Fn(usize, f64) -> f64,
    why: &str,
) -> Outcome {
    let yours = yours.to_vec()?;
    for (i, (&x, &y)) in at.iter().zip(&yours).enumerate() {
        let right = right(i, f64::from(x));
        let off = (f64::from(y) - right).abs();
        if off.is_nan() || off > 1e-5 * (1.0 + right.abs()) {
            let why = if y.is_nan() || y.is_infinite() {
                "An exponential has overflowed: e^90 is too large for a float."
            } else {
                why
            };
            let words = format!(
                "{what} at x = {x} is {y}. It should be {right:.6}. {why}"
            );
            return Err(wrong(words.trim_end()));
        }
    }
    Ok(())
}

fn values(_: &()) -> Outcome {
    let y = yours::softplus(&leaf(&SMALL, Device::Cpu)?);
    let shown = y.to_vec()?;
    let is = |other: fn(f64) -> f64| {
        SMALL
            .iter()
            .zip(&shown)
            .all(|(&x, &y)| (f64::from(y) - other(f64::from(x))).abs() < 1e-5)
    };
    let why = if is(|x| x.max(0.0)) {
        "This is relu(x): the smooth part, ln(1 + e^-|x|), is missing."
    } else if is(|x| (-x.abs()).exp().ln_1p()) {
        "This is ln(1 + e^-|x|), and relu(x) must be added."
    } else if is(|x| x.max(0.0) + x.abs().exp().ln_1p()) {
        "You compute the exponential of |x| instead of -|x|."
    } else if is(|x| x.max(0.0) + (-x).exp().ln_1p()) {
        "You compute the exponential of -x instead of -|x|."
    } else {
        ""
    };
    near("softplus", &y, &SMALL, |_, x| softplus(x), why)
}

fn large(_: &()) -> Outcome {
    let y = yours::softplus(&leaf(&LARGE, Device::Cpu)?);
    near("softplus", &y, &LARGE, |_, x| softplus(x), "")
}

/// With the loss `sum(softplus(x) * w)`, backward's `grad_out` is `w`.
fn loss(x: &Tensor) -> Result<Tensor, Stop> {
    let w = Tensor::new(&[WEIGHTS.len()], &WEIGHTS, x.device())?;
    Ok(yours::softplus(x).mul(&w).sum())
}

fn gradient(_: &()) -> Outcome {
    for at in [&SMALL, &LARGE] {
        let x = leaf(at, Device::Cpu)?;
        let first = grad(&[&loss(&x)?], &[&x], false).remove(0);
        let shown = first.to_vec()?;
        if shown.iter().zip(at).all(|(grad, x)| {
            (f64::from(*grad) - sigmoid(f64::from(*x))).abs() < 1e-5
        }) {
            return Err(wrong(
                "The gradient is only the derivative of softplus; grad_out is \
                 missing.",
            ));
        }
        near(
            "The gradient",
            &first,
            at,
            |i, x| f64::from(WEIGHTS[i]) * sigmoid(x),
            "It is grad_out times the derivative of ln(1 + e^x), which is e^x \
             / (1 + e^x).",
        )?;
    }
    let tape: Tape = loss(&leaf(&SMALL, Device::Cpu)?)?.tape();
    if !tape.records.iter().any(|record| record.op == "softplus") {
        return Err(wrong(
            "The tape does not contain the name softplus. People will read the \
             name of the function there.",
        ));
    }
    Ok(())
}

fn second(_: &()) -> Outcome {
    let x = leaf(&SMALL, Device::Cpu)?;
    let first = grad(&[&loss(&x)?], &[&x], true).remove(0);
    let second = grad(&[&first.sum()], &[&x], false).remove(0);
    // A detached result is a constant, so its derivative is 0.
    if second.to_vec()?.iter().all(|slope| *slope == 0.0) {
        return Err(wrong(
            "The gradient has no graph, because backward took the values out \
             of it. Compute it with tensor operations on ctx.input(0).",
        ));
    }
    let right = |i: usize, x: f64| {
        f64::from(WEIGHTS[i]) * sigmoid(x) * (1.0 - sigmoid(x))
    };
    near("The second derivative", &second, &SMALL, right, "")
}

fn everywhere(_: &()) -> Outcome {
    for device in Device::all() {
        let x = leaf(&LARGE, device)?;
        let what = format!("On {device}, softplus");
        near(&what, &yours::softplus(&x), &LARGE, |_, x| softplus(x), "")?;
        loss(&x)?.backward();
        let kept = x.grad().expect("x requires a gradient");
        let what = format!("On {device}, the gradient");
        let right = |i: usize, x: f64| f64::from(WEIGHTS[i]) * sigmoid(x);
        near(&what, &kept, &LARGE, right, "")?;
    }
    Ok(())
}
