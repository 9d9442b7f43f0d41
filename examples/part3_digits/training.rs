//! The network of Part 1 and its training loop, on any device. The tests use
//! this module too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

pub(crate) const BATCH: usize = 32;

/// The results of one epoch.
#[derive(Debug)]
pub(crate) struct Epoch {
    /// Mean loss on the training set, measured while training.
    pub(crate) loss: f32,
    /// Mean loss on the test set.
    pub(crate) held_out: f32,
    /// Fraction of the test set that is classified correctly.
    pub(crate) accuracy: f32,
}

// ANCHOR: network
/// A network with 64 inputs, 64 hidden units and 10 scores.
pub(crate) fn network(random: &mut Random) -> Sequential {
    Sequential::new()
        .then(Linear::new(64, 64, random))
        .then(Tensor::relu)
        .then(Linear::new(64, 10, random))
}
// ANCHOR_END: network

// ANCHOR: train
/// Trains on a device. The seed determines the initial weights and the order
/// of the rows, as in Part 1. `tell` is called after each epoch.
pub(crate) fn train(
    (rows, held_out): &(Dataset, Dataset),
    seed: u64,
    epochs: usize,
    device: Device,
    mut tell: impl FnMut(Epoch),
) -> Result<Sequential, Error> {
    let mut random = Random::new(seed);
    let mut network = network(&mut random);
    network.to(device)?;
    let mut sgd = Sgd::new(0.1, 0.9);
    for _ in 0..epochs {
        // The sum stays on the device, because reading it would wait for the
        // device.
        let mut total = Tensor::full(&[], 0.0, device)?;
        for batch in rows.batches(BATCH, &mut random) {
            let scores = network.forward(&inputs(&batch, device)?);
            let loss = scores.cross_entropy(&batch.labels);
            loss.backward();
            sgd.step(network.parameters_mut());
            total += loss.detach() * batch.rows() as f32;
        }
        let inputs = inputs(held_out, device)?;
        let exam = no_grad(|| network.forward(&inputs));
        let predictions = predictions(&exam.to_vec()?, 10);
        tell(Epoch {
            loss: total.to_vec()?[0] / rows.rows() as f32,
            held_out: exam.cross_entropy(&held_out.labels).to_vec()?[0],
            accuracy: accuracy(&held_out.labels, &predictions),
        });
    }
    Ok(network)
}

/// (rows, 64), on a device.
pub(crate) fn inputs(rows: &Dataset, device: Device) -> Result<Tensor, Error> {
    Tensor::new(&rows.shape(), &rows.inputs, device)
}
// ANCHOR_END: train
