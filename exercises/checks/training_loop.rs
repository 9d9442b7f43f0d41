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

fn main() -> ExitCode {
    check(
        "training_loop",
        YOURS,
        &[
            ("the first epoch trains on the rows, batch by batch", first),
            ("it ends if the held-out loss has not fallen", end),
            ("the network is the one with the smallest loss", best),
        ],
    )
}

const PATIENCE: usize = 4;

struct Data {
    rows: Dataset,
    held_out: Dataset,
}

/// Few points and much noise, so that learning soon stops.
fn data() -> Data {
    Data { rows: moons(96, 0.3, 1), held_out: moons(200, 0.3, 2) }
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

/// Returns the learner's network and losses.
fn yours() -> (Mlp, Vec<f32>) {
    let Data { rows, held_out } = data();
    let (mut network, mut random) = network();
    let losses =
        yours::train(&mut network, &rows, &held_out, PATIENCE, &mut random);
    (network, losses)
}

/// Trains for `count` epochs on these rows and returns the validation losses.
fn epochs(count: usize, learned: &Dataset, batch: usize) -> Vec<f32> {
    let held_out = data().held_out;
    let (mut network, mut random) = network();
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut epoch = || {
        for batch in learned.batches(batch, &mut random) {
            loss(&network, &batch).backward();
            sgd.step(network.parameters());
        }
        number(&network, &held_out)
    };
    (0..count).map(|_| epoch()).collect()
}

/// Returns the expected losses, up to the epoch at which training stops.
fn right() -> Vec<f32> {
    let losses = epochs(200, &data().rows, 32);
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
    let (_, yours) = yours();
    let right = right();
    let Some(&now) = yours.first() else {
        return Err(wrong("No loss was returned: not a single epoch was run."));
    };
    if same(now, right[0]) {
        return Ok(());
    }
    let Data { rows, held_out } = data();
    let untrained = number(&network().0, &held_out);
    let why = if same(now, untrained) {
        "That is the loss of the network before training: no step has changed \
         it."
    } else if same(now, epochs(1, &held_out, 32)[0]) {
        "That is the result of training on the held-out rows. They only decide \
         when to stop."
    } else if same(now, epochs(1, &rows, rows.rows())[0]) {
        "That is one step for all rows together. Each batch needs its own."
    } else {
        "Each batch of `rows.batches(32, random)` needs a loss, a backward \
         pass and a step, and then the held-out rows need a loss."
    };
    Err(wrong(format!(
        "The held-out loss after the first epoch is different. {why}\n\n  \
         yours  {now}\n  right  {}",
        right[0]
    )))
}

fn end(_: &()) -> Outcome {
    let (_, yours) = yours();
    let right = right();
    let differ = yours.iter().zip(&right).position(|(y, r)| !same(*y, *r));
    if let Some(at) = differ {
        return Err(wrong(format!(
            "The held-out loss of epoch {at}, counted from 0, is {}, and should \
             be {}. The epochs before it are right.",
            yours[at], right[at]
        )));
    }
    if yours.len() == right.len() {
        return Ok(());
    }
    let at = least(&right);
    Err(wrong(format!(
        "You ran {} epochs, but {} are right. The smallest held-out loss, {}, \
         is that of epoch {at}, counted from 0, and the {PATIENCE} epochs \
         after it are not lower.",
        yours.len(),
        right.len(),
        right[at]
    )))
}

fn best(_: &()) -> Outcome {
    let (network, losses) = yours();
    let at = least(&losses);
    let found = number(&network, &data().held_out);
    if same(found, losses[at]) {
        return Ok(());
    }
    let last = losses[losses.len() - 1];
    let why = match same(found, last) {
        true => "It is the network of the last epoch.",
        false => "It is not the network of any of the expected epochs.",
    };
    Err(wrong(format!(
        "The network that you leave has a held-out loss of {found}. The \
         smallest was {}, in epoch {at}. {why}",
        losses[at]
    )))
}
