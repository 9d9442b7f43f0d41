//! A convolutional network and its training loop. The tests use this module
//! too.

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Conv2d, Linear, Module, Parameters, Sequential};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, Window, no_grad};
use rungrad::rng::Random;

pub(crate) const EPOCHS: usize = 20;
const BATCH: usize = 32;

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
/// Two convolution layers, each followed by ReLU and max pooling, and ten
/// scores.
pub(crate) fn network(random: &mut Random) -> Sequential {
    let same = ConvOptions::new().padding([1, 1]);
    Sequential::new()
        .then(images)
        .then(Conv2d::new(1, 16, [3, 3], same, random))
        .then(Tensor::relu)
        .then(halved)
        .then(Conv2d::new(16, 32, [3, 3], same, random))
        .then(Tensor::relu)
        .then(halved)
        .then(rows)
        .then(Linear::new(32 * 2 * 2, 10, random))
}

/// (rows, 64) -> (rows, 1, 8, 8): a digit has one channel.
pub(crate) fn images(x: &Tensor) -> Tensor {
    x.reshape(&[x.shape()[0], 1, 8, 8])
}

/// Max pooling over squares of 2 by 2: half the height, half the width.
fn halved(x: &Tensor) -> Tensor {
    x.max_pool2d(&Window::new([2, 2]).stride([2, 2]))
}

/// (rows, 32, 2, 2) -> (rows, 128)
fn rows(x: &Tensor) -> Tensor {
    let [rows, rest @ ..] = x.shape() else { unreachable!("four axes") };
    x.reshape(&[*rows, rest.iter().product()])
}
// ANCHOR_END: network

/// Trains on a device, with the loop, the learning rate and the momentum of
/// the network in Part 1. The seed determines the initial weights and the
/// order of the rows. `tell` is called after each epoch.
pub(crate) fn train(
    (learned, held_out): &(Dataset, Dataset),
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
        for batch in learned.batches(BATCH, &mut random) {
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
            loss: total.to_vec()?[0] / learned.rows() as f32,
            held_out: exam.cross_entropy(&held_out.labels).to_vec()?[0],
            accuracy: accuracy(&held_out.labels, &predictions),
        });
    }
    Ok(network)
}

/// (rows, 64), on a device.
fn inputs(rows: &Dataset, device: Device) -> Result<Tensor, Error> {
    Tensor::new(&rows.shape(), &rows.inputs, device)
}
