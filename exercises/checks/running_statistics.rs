//! Checks `running_statistics`, a batch norm in two modes.
//!
//! The expected values and those of known mistakes are computed in `f64`. A
//! diagnosis is printed only if its formula reproduces every value.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, choose, wrong};
use rungrad::part3_unified::{Device, Tensor};
use yours::Norm;

exercises::yours!("part3_unified/running_statistics.rs");

fn main() -> ExitCode {
    check(
        "running_statistics",
        YOURS,
        &[
            ("a batch in training: normalized by columns", training),
            ("the running statistics after two batches", kept),
            ("in evaluation each row is independent", evaluation),
            ("the running statistics have no graph", graph),
            ("gradients go through mean and variance", gradients),
        ],
    )
}

const ROWS: usize = 4;
const COLUMNS: usize = 3;
const MOMENTUM: f64 = 0.25;
const EPSILON: f64 = 1e-3;

/// Rows of three values, different in every column.
const FIRST: [f32; ROWS * COLUMNS] =
    [1.0, 10.0, -0.5, 3.0, 30.0, 0.5, 2.0, -20.0, 1.5, 6.0, 0.0, 0.25];
const SECOND: [f32; ROWS * COLUMNS] =
    [0.5, 4.0, 2.0, -1.5, 8.0, 1.0, 2.5, 2.0, -4.0, 0.0, 6.0, 3.0];

/// Returns whether the momentum is the weight of the old value, and whether
/// the variance of the batch itself is stored: both only in variants.
fn changes() -> [bool; 2] {
    choose([false; 2], [[true, false], [false, true], [true, true]])
}

/// The weight of a new batch.
fn share() -> f64 {
    if changes()[0] { 1.0 - MOMENTUM } else { MOMENTUM }
}

/// The factor of the batch's variance.
fn factor() -> f64 {
    if changes()[1] { 1.0 } else { SAMPLE }
}

fn norm() -> Result<Norm, Stop> {
    Ok(Norm {
        mean: Tensor::zeros(&[COLUMNS], Device::Cpu)?,
        variance: Tensor::ones(&[COLUMNS], Device::Cpu)?,
        momentum: MOMENTUM,
        epsilon: EPSILON,
        is_training: true,
    })
}

fn batch(x: &[f32]) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&[x.len() / COLUMNS, COLUMNS], x, Device::Cpu)?)
}

/// Returns the mean and the variance of some values.
fn moments(of: &[f64]) -> [f64; 2] {
    let n = of.len() as f64;
    let mean = of.iter().sum::<f64>() / n;
    let squares: f64 = of.iter().map(|x| (x - mean) * (x - mean)).sum();
    [mean, squares / n]
}

fn column(x: &[f32], at: usize) -> Vec<f64> {
    x.iter().skip(at).step_by(COLUMNS).map(|x| f64::from(*x)).collect()
}

/// Normalizes each value with the mean and variance that `of` returns for it.
fn by(x: &[f32], of: impl Fn(usize) -> [f64; 2]) -> Vec<f64> {
    let each = x.iter().enumerate().map(|(at, x)| {
        let [mean, variance] = of(at);
        (f64::from(*x) - mean) / (variance + EPSILON).sqrt()
    });
    each.collect()
}

fn by_columns(x: &[f32]) -> Vec<f64> {
    by(x, |at| moments(&column(x, at % COLUMNS)))
}

fn near(yours: &[f32], wanted: &[f64]) -> bool {
    let near = |(y, w): (&f32, &f64)| {
        (f64::from(*y) - w).abs() <= 1e-4 * w.abs().max(1.0)
    };
    yours.len() == wanted.len() && yours.iter().zip(wanted).all(near)
}

/// Compares with the expected values and with those of known mistakes.
fn expect(
    what: &str,
    yours: &[f32],
    right: &[f64],
    others: &[(Vec<f64>, &str)],
) -> Outcome {
    if near(yours, right) {
        return Ok(());
    }
    let known = others.iter().find(|(other, _)| near(yours, other));
    let why = known.map_or("", |(_, why)| why);
    Err(wrong(format!(
        "{what}: the values are wrong. {why}\n\n  yours  {yours:?}\n  right  \
         {right:.4?}"
    )))
}

fn training(_: &()) -> Outcome {
    let y = norm()?.forward(&batch(&FIRST)?).to_vec()?;
    let n = ROWS as f64;
    let rows = by(&FIRST, |at| {
        let row = &FIRST[at / COLUMNS * COLUMNS..][..COLUMNS];
        moments(&row.iter().map(|x| f64::from(*x)).collect::<Vec<_>>())
    });
    let sample = by(&FIRST, |at| {
        let [mean, variance] = moments(&column(&FIRST, at % COLUMNS));
        [mean, variance * n / (n - 1.0)]
    });
    let running = by(&FIRST, |at| {
        let [mean, variance] = moments(&column(&FIRST, at % COLUMNS));
        let old = 1.0 - share();
        [share() * mean, old + share() * factor() * variance]
    });
    let others = [
        (
            rows,
            "Each row has mean 0 and variance 1: that is a layer norm. A batch \
             norm uses the mean of each column, over all rows.",
        ),
        (
            sample,
            "The batch was divided by the root of the sample variance, which \
             is for the running statistics. The batch's own variance is the \
             mean of the squared distances.",
        ),
        (
            running,
            "The running means were used, which are for evaluation. In \
             training a batch uses its own mean and variance.",
        ),
    ];
    expect("A batch in training", &y, &by_columns(&FIRST), &others)
}

/// Returns the running statistics after both batches. `share` is the weight of
/// a new batch, and `sample` is a factor of its variance.
fn after(share: f64, sample: f64) -> Vec<f64> {
    let kept = (0..COLUMNS).map(|at| {
        [&FIRST, &SECOND].iter().fold([0.0, 1.0], |kept, x| {
            let [mean, variance] = moments(&column(&x[..], at));
            let new = [mean, variance * sample];
            [0, 1].map(|i| (1.0 - share) * kept[i] + share * new[i])
        })
    });
    let (means, variances): (Vec<f64>, Vec<f64>) =
        kept.map(|[mean, variance]| (mean, variance)).unzip();
    [means, variances].concat()
}

const SAMPLE: f64 = ROWS as f64 / (ROWS as f64 - 1.0);

fn kept(_: &()) -> Outcome {
    let mut norm = norm()?;
    for x in [&FIRST, &SECOND] {
        let _ = norm.forward(&batch(x)?);
    }
    let yours = [norm.mean.to_vec()?, norm.variance.to_vec()?].concat();
    let others = [
        (
            after(1.0 - share(), factor()),
            match changes()[0] {
                false => {
                    "The momentum is the weight of the new batch, as in \
                     PyTorch, but yours is the weight of the old value."
                }
                true => {
                    "The momentum is the weight of the old value, as in \
                     TensorFlow, but yours is the weight of the new batch."
                }
            },
        ),
        match changes()[1] {
            false => (
                after(share(), 1.0),
                "The variance of the batch itself was stored. To estimate the \
                 variance of all rows from a sample, divide by one less than \
                 the number of rows: multiply by rows / (rows - 1).",
            ),
            true => (
                after(share(), SAMPLE),
                "The sample variance was stored. Store the variance of the \
                 batch itself, without the factor rows / (rows - 1).",
            ),
        },
        (
            after(1.0, factor()),
            "Only the last batch was stored. Keep a part of the old value.",
        ),
    ];
    let right = after(share(), factor());
    expect(
        "The running mean and variance after two batches",
        &yours,
        &right,
        &others,
    )
}

fn evaluation(_: &()) -> Outcome {
    let mut norm = norm()?;
    for x in [&FIRST, &SECOND] {
        let _ = norm.forward(&batch(x)?);
    }
    let before = [norm.mean.to_vec()?, norm.variance.to_vec()?];
    norm.is_training = false;
    let y = norm.forward(&batch(&FIRST)?).to_vec()?;
    let kept = after(share(), factor());
    let right =
        by(&FIRST, |at| [kept[at % COLUMNS], kept[COLUMNS + at % COLUMNS]]);
    let others = [(
        by_columns(&FIRST),
        "The batch was normalized with its own mean and variance, so the \
         result of a row depends on the other rows. In evaluation use the \
         running statistics.",
    )];
    expect("A batch in evaluation", &y, &right, &others)?;
    if before != [norm.mean.to_vec()?, norm.variance.to_vec()?] {
        return Err(wrong(
            "The running means have changed in evaluation: evaluation must not \
             learn.",
        ));
    }
    let alone = norm.forward(&batch(&FIRST[..COLUMNS])?).to_vec()?;
    expect("A row alone", &alone, &right[..COLUMNS], &[])
}

fn graph(_: &()) -> Outcome {
    let mut norm = norm()?;
    let _ = norm.forward(&batch(&FIRST)?.requires_grad());
    match norm.mean.records() || norm.variance.records() {
        false => Ok(()),
        true => Err(wrong(
            "A running mean is recorded, so it keeps the graph of every batch \
             alive. Compute the running statistics in no_grad.",
        )),
    }
}

fn gradients(_: &()) -> Outcome {
    let x = batch(&FIRST)?.requires_grad();
    (norm()?.forward(&x) * batch(&SECOND)?).sum().backward();
    let Some(yours) = x.grad() else {
        return Err(wrong(
            "The input has no gradient: the result was cut off from it.",
        ));
    };
    let (mut right, mut cut) = (Vec::new(), Vec::new());
    let y = by_columns(&FIRST);
    for (at, grad_out) in SECOND.iter().enumerate() {
        let column_at = at % COLUMNS;
        let [_, variance] = moments(&column(&FIRST, column_at));
        let root = (variance + EPSILON).sqrt();
        let above = column(&SECOND, column_at);
        let ys = y.iter().skip(column_at).step_by(COLUMNS);
        let n = ROWS as f64;
        let mean = above.iter().sum::<f64>() / n;
        let along = above.iter().zip(ys).map(|(g, y)| g * y).sum::<f64>() / n;
        let grad_out = f64::from(*grad_out);
        right.push((grad_out - mean - y[at] * along) / root);
        cut.push(grad_out / root);
    }
    let others = [(
        cut,
        "Mean and variance were treated as constants. They depend on the \
         batch: let gradients flow through them.",
    )];
    expect("The gradient of the input", &yours.to_vec()?, &right, &others)
}
