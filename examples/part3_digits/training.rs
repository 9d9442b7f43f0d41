//! The network of Part 1 and its loop, on a device. The tests train by it
//! too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Linear, Module, Sequential};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

pub(crate) const BATCH: usize = 32;

/// What a time through all rows has brought.
#[derive(Debug)]
pub(crate) struct Epoch {
    /// The mean loss of the rows while they were learned.
    pub(crate) loss: f32,
    /// The loss of the rows that were held out.
    pub(crate) held_out: f32,
    /// The share of them that is guessed right.
    pub(crate) accuracy: f32,
}

// ANCHOR: network
/// 64 inputs, 64 hidden outputs, 10 scores.
pub(crate) fn network(random: &mut Random) -> Sequential {
    Sequential::new()
        .then(Linear::new(64, 64, random))
        .then(Tensor::relu)
        .then(Linear::new(64, 10, random))
}
// ANCHOR_END: network

// ANCHOR: train
/// Trains on a device. The seed decides the first weights and the order of
/// the rows, as it does in Part 1. `tell` hears of each epoch.
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
        // The sum stays on the device too: to read it is to wait.
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
