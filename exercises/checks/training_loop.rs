//! Checks `training_loop`, which trains with early stopping.
//!
//! With a seed a run is deterministic, so the first different loss and its
//! value identify the mistake.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};
use rungrad::data::{Dataset, moons};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

exercises::yours!("part1_cpu/training_loop.rs");
use yours::{Report, SEED};

fn main() -> ExitCode {
    check(
        "training_loop",
        YOURS,
        &[
            (
                "the first epoch trains on the training set, batch by batch",
                first,
            ),
            ("it stops if the validation loss has not fallen", end),
            ("the network is the one with the smallest loss", best),
            ("the reported loss is that of the test set", report),
        ],
    )
}

const PATIENCE: usize = 4;

struct Data {
    rows: Dataset,
    test: Dataset,
}

/// Much noise, so that learning soon stops.
fn data() -> Data {
    Data { rows: moons(1000, 0.3, 1), test: moons(200, 0.3, 2) }
}

/// Returns the training set and the validation set.
fn sets() -> (Dataset, Dataset) {
    data().rows.split(SEED)
}

fn network() -> (Mlp, Random) {
    let mut random = Random::new(3);
    (Mlp::new(&[2, 24, 2], Tensor::tanh, &mut random), random)
}

fn loss(network: &Mlp, rows: &Dataset) -> Tensor {
    let inputs = Tensor::new(&rows.shape(), &rows.inputs);
    network.forward(&inputs).cross_entropy(&rows.labels)
}

fn number(network: &Mlp, rows: &Dataset) -> f32 {
    loss(network, rows).to_vec()[0]
}

/// Returns the learner's network and report.
fn yours() -> (Mlp, Report) {
    let Data { rows, test } = data();
    let (mut network, mut random) = network();
    let report =
        yours::train(&mut network, &rows, &test, PATIENCE, &mut random);
    (network, report)
}

/// Trains for `count` epochs on the rows `learned` and returns the losses of
/// `measured` after each.
fn epochs(
    count: usize,
    learned: &Dataset,
    batch: usize,
    measured: &Dataset,
) -> Vec<f32> {
    let (mut network, mut random) = network();
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut epoch = || {
        for batch in learned.batches(batch, &mut random) {
            loss(&network, &batch).backward();
            sgd.step(network.parameters());
        }
        number(&network, measured)
    };
    (0..count).map(|_| epoch()).collect()
}

/// Returns the expected validation losses, up to the epoch at which training
/// stops.
fn right() -> Vec<f32> {
    let (training, validation) = sets();
    let losses = epochs(200, &training, 32, &validation);
    let end = (0..losses.len())
        .find(|&i| i + 1 == least(&losses[..=i]) + 1 + PATIENCE);
    let end = end.expect("these rows are learned in 200 epochs");
    losses[..=end].to_vec()
}

/// Returns the index of the smallest loss, the first if several are equal.
fn least(losses: &[f32]) -> usize {
    let mut at = 0;
    for (i, loss) in losses.iter().enumerate() {
        if *loss < losses[at] {
            at = i;
        }
    }
    at
}

fn same(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-4 * b.abs()
}

fn first(_: &()) -> Outcome {
    let (_, Report { validation: yours, .. }) = yours();
    let right = right();
    let Some(&now) = yours.first() else {
        return Err(wrong("No loss was returned: not a single epoch was run."));
    };
    if same(now, right[0]) {
        return Ok(());
    }
    let Data { rows, test } = data();
    let (training, validation) = sets();
    let untrained = number(&network().0, &validation);
    let after_one = |learned: &Dataset, batch, measured: &Dataset| {
        same(now, epochs(1, learned, batch, measured)[0])
    };
    let why = if same(now, untrained) {
        "That is the loss of the network before training: no step has changed \
         it."
    } else if after_one(&training, 32, &test) {
        "That is the loss of the test set. If the test set decides when to \
         stop, it can no longer report how good the network is."
    } else if after_one(&validation, 32, &validation) {
        "That is the result of training on the validation set. It only \
         decides when to stop."
    } else if after_one(&rows, 32, &validation) {
        "That is the result of training on all rows. Without rows that it has \
         not seen, the validation loss says nothing about new data."
    } else if after_one(&training, training.rows(), &validation) {
        "That is the result of one step for all rows together. Each batch \
         needs its own step."
    } else {
        "Each batch of `training.batches(32, random)` needs a loss, a backward \
         pass and a step, and then the validation set needs a loss."
    };
    Err(wrong(format!(
        "The validation loss after the first epoch is wrong. {why}\n\n  yours  \
         {now}\n  right  {}",
        right[0]
    )))
}

fn end(_: &()) -> Outcome {
    let (_, Report { validation: yours, .. }) = yours();
    let right = right();
    let differ = yours.iter().zip(&right).position(|(y, r)| !same(*y, *r));
    if let Some(at) = differ {
        return Err(wrong(format!(
            "The validation loss of epoch {at}, counted from 0, is {}. It \
             should be {}. The epochs before it are right.",
            yours[at], right[at]
        )));
    }
    if yours.len() == right.len() {
        return Ok(());
    }
    let at = least(&right);
    Err(wrong(format!(
        "You ran {} epochs; the right number is {}. The smallest validation \
         loss, {}, is that of epoch {at}, counted from 0, and in the \
         {PATIENCE} epochs after it the loss is not lower.",
        yours.len(),
        right.len(),
        right[at]
    )))
}

fn best(_: &()) -> Outcome {
    let (network, Report { validation: losses, .. }) = yours();
    let at = least(&losses);
    let found = number(&network, &sets().1);
    if same(found, losses[at]) {
        return Ok(());
    }
    let last = losses[losses.len() - 1];
    let why = match same(found, last) {
        true => {
            "That is the network of the last epoch: restore the parameters of \
             the best one."
        }
        false => "That is not the network of any of the expected epochs.",
    };
    Err(wrong(format!(
        "After training, the network has a validation loss of {found}. The \
         smallest was {}, in epoch {at}. {why}",
        losses[at]
    )))
}

/// Compares the reported loss with that of the network that is left.
fn report(_: &()) -> Outcome {
    let (network, Report { validation, test: found }) = yours();
    let right = number(&network, &data().test);
    if same(found, right) {
        return Ok(());
    }
    let (training, _) = sets();
    let last = epochs(validation.len(), &training, 32, &data().test);
    let why = if same(found, validation[least(&validation)]) {
        "That is the smallest validation loss. It was used to choose the \
         network, so it is too optimistic."
    } else if same(found, last[last.len() - 1]) {
        "That is the loss of the network of the last epoch. First restore the \
         best parameters."
    } else {
        "Compute the loss of the test set once, with the final network."
    };
    Err(wrong(format!(
        "The reported test loss is wrong. {why}\n\n  yours  {found}\n  right  \
         {right}"
    )))
}
