//! Checks `custom_loss`, softmax and cross-entropy as one function.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, without, wrong};
use rungrad::part3_unified::{Device, Tensor, grad};

exercises::yours!("part3_unified/custom_loss.rs");

fn main() -> ExitCode {
    check(
        "custom_loss",
        YOURS,
        &[
            ("the loss of two rows of five scores", value),
            ("the loss of scores whose exponentials overflow", large),
            ("its gradient", gradient),
            ("its second derivative", second),
            ("the same on every device of this machine", everywhere),
            ("you wrote the loss yourself", |_| without(YOURS, &ENGINES, OWN)),
        ],
    )
}

const ENGINES: [&str; 4] = [
    ".cross_entropy(",
    "Tensor::cross_entropy(",
    ".log_softmax(",
    "::log_softmax(",
];
const OWN: &str = "that is the engine's own loss. Here you write it, with the \
                   operations of an Array and of a Tensor.";

/// The number of classes must differ from the factor of the loss. Otherwise a
/// mean over all elements would look like a missing `grad_out`.
const SHAPE: [usize; 2] = [2, 5];
const LABELS: [usize; 2] = [2, 0];
const SMALL: [f32; 10] =
    [0.5, -1.25, 2.0, 1.0, -0.5, 1.5, 0.25, -0.75, 0.75, -2.0];
const LARGE: [f32; 10] =
    [200.0, 198.5, 201.0, 197.0, 199.5, -300.0, -301.5, -299.0, -300.5, -302.0];

/// Computes the softmax of each row in `f64`.
fn shares(scores: &[f32]) -> Vec<f64> {
    let row = |row: &[f32]| {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers =
            row.iter().map(|s| (f64::from(*s) - f64::from(most)).exp());
        let powers: Vec<f64> = powers.collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|p| p / sum).collect::<Vec<_>>()
    };
    scores.chunks(SHAPE[1]).flat_map(row).collect()
}

fn leaf(scores: &[f32], device: Device) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&SHAPE, scores, device)?.requires_grad())
}

fn near(what: &str, yours: &[f32], right: &[f64]) -> Outcome {
    if yours.len() != right.len() {
        return Err(wrong(format!(
            "{what} has {} elements. It should have {}.",
            yours.len(),
            right.len()
        )));
    }
    for (i, (y, r)) in yours.iter().zip(right).enumerate() {
        let off = (f64::from(*y) - r).abs();
        if off.is_nan() || off > 1e-4 * (1.0 + r.abs()) {
            let hint = match y.is_finite() {
                false if what.contains("large") => {
                    " The exponential of 200 overflows an f32, and that of \
                     -300 is 0: subtract the largest score of the row first."
                }
                _ => "",
            };
            return Err(wrong(format!(
                "{what}: element {i} is {y}. It should be {r:.6}.{hint}"
            )));
        }
    }
    Ok(())
}

fn right_loss(scores: &[f32]) -> f64 {
    let all = shares(scores);
    let rows = LABELS.iter().enumerate();
    let logs = rows.map(|(row, label)| -all[row * SHAPE[1] + label].ln());
    logs.sum::<f64>() / SHAPE[0] as f64
}

/// Returns the expected gradient of a loss multiplied by `weight`.
fn right_gradient(scores: &[f32], weight: f64) -> Vec<f64> {
    let mut off = shares(scores);
    for (row, label) in LABELS.iter().enumerate() {
        off[row * SHAPE[1] + label] -= 1.0;
    }
    off.into_iter().map(|x| weight * x / SHAPE[0] as f64).collect()
}

fn loss(scores: &[f32], what: &str) -> Outcome {
    let loss = yours::loss(&leaf(scores, Device::Cpu)?, &LABELS);
    if !loss.shape().is_empty() {
        return Err(wrong(format!(
            "{what} has shape {:?}. A mean of all rows has no axes: reduce \
             over both axes, with Keep::No.",
            loss.shape()
        )));
    }
    let (yours, right) = (loss.to_vec()?, right_loss(scores));
    let is = |other: f64| (f64::from(yours[0]) - other).abs() < 1e-4;
    if is(right * SHAPE[0] as f64) {
        return Err(wrong(format!(
            "{what} is {}, the sum over the rows. It should be the mean, \
             {right:.6}.",
            yours[0]
        )));
    }
    if is(right / SHAPE[1] as f64) {
        return Err(wrong(format!(
            "{what} is {}, divided by the number of all scores. It should be \
             the mean over the rows, {right:.6}.",
            yours[0]
        )));
    }
    near(what, &yours, &[right])
}

fn value(_: &()) -> Outcome {
    loss(&SMALL, "The loss")
}

fn large(_: &()) -> Outcome {
    loss(&LARGE, "The loss of large scores")
}

/// The loss is multiplied by three, so `grad_out` is 3.
fn gradient(_: &()) -> Outcome {
    let scores = leaf(&SMALL, Device::Cpu)?;
    let weighted = yours::loss(&scores, &LABELS).scale(3.0);
    let yours = grad(&[&weighted], &[&scores], false).remove(0).to_vec()?;
    let is = |weight: f64| near("", &yours, &right_gradient(&SMALL, weight));
    for (weight, words) in [
        (
            1.0,
            "The gradient is that of the loss alone: grad_out, which is 3 \
             here, is missing.",
        ),
        (
            3.0 / SHAPE[1] as f64,
            "The gradient is divided by the number of all elements, but the \
             loss is a mean over the rows.",
        ),
        (
            3.0 * SHAPE[0] as f64,
            "The gradient is that of the sum over the rows, but the loss is \
             their mean.",
        ),
    ] {
        if is(weight).is_ok() {
            return Err(wrong(words));
        }
    }
    let forgotten = shares(&SMALL).into_iter();
    let forgotten: Vec<f64> = forgotten.map(|x| 1.5 * x).collect();
    if near("", &yours, &forgotten).is_ok() {
        return Err(wrong(
            "The gradient consists of the probabilities only, so every score \
             would be lowered. At the label of its row, 1 must be subtracted.",
        ));
    }
    near("The gradient", &yours, &right_gradient(&SMALL, 3.0))
}

/// Checks the gradient of the first element of the gradient.
fn second(_: &()) -> Outcome {
    let scores = leaf(&SMALL, Device::Cpu)?;
    let loss = yours::loss(&scores, &LABELS);
    let first = grad(&[&loss], &[&scores], true).remove(0);
    let corner = first.slice(&[0..1, 0..1]).sum();
    let yours = grad(&[&corner], &[&scores], false).remove(0).to_vec()?;
    // A detached result is a constant, so its derivative is 0.
    if yours.iter().all(|slope| *slope == 0.0) {
        return Err(wrong(
            "The gradient has no graph. Compute it with tensor operations on \
             ctx.input(0), without detaching anything.",
        ));
    }
    let p = shares(&SMALL);
    let right = (0..p.len()).map(|i| match i {
        0 => p[0] * (1.0 - p[0]) / 2.0,
        1..5 => -p[0] * p[i] / 2.0,
        _ => 0.0,
    });
    near("The second derivative", &yours, &right.collect::<Vec<_>>())
}

fn everywhere(_: &()) -> Outcome {
    for device in Device::all() {
        let scores = leaf(&LARGE, device)?;
        let loss = yours::loss(&scores, &LABELS);
        let what = format!("On {device}, the loss");
        near(&what, &loss.to_vec()?, &[right_loss(&LARGE)])?;
        loss.backward();
        let kept = scores.grad().expect("scores require a gradient");
        let what = format!("On {device}, the gradient");
        near(&what, &kept.to_vec()?, &right_gradient(&LARGE, 1.0))?;
    }
    Ok(())
}
