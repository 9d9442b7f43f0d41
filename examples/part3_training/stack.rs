//! A deep stack of layers for the digits, in several variants, with its
//! training and evaluation.

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{
    BatchNorm, LayerNorm, Linear, Module, Parameters, Residual, Sequential,
    init,
};
use rungrad::optim::Optimizer;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

/// The number of pixels of a digit, and of outputs of each hidden layer.
pub(crate) const WIDTH: usize = 64;
pub(crate) const BATCH: usize = 32;
const DEPTH: usize = 10;

/// The initialization of a layer's weights.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// Normally distributed with this standard deviation.
    Normal(f32),
    /// With a variance of 2 / inputs, as in the layers of this crate.
    Kaiming,
    /// With a variance of 2 / (inputs + outputs).
    Xavier,
    /// Uniform between ±1 / sqrt(inputs), as in PyTorch's layers.
    Torch,
}

/// What is added around a layer.
#[derive(Clone, Copy)]
pub(crate) enum Around {
    Nothing,
    LayerNorm,
    BatchNorm,
    Residual,
    /// A layer norm before it, and a residual connection around both.
    NormAndResidual,
}

// ANCHOR: stack
/// Ten layers of 64 outputs, each followed by ReLU, and ten scores.
pub(crate) fn stack(start: Start, around: Around, seed: u64) -> Sequential {
    let random = &mut Random::new(seed);
    let mut stack = Sequential::new();
    for _ in 0..DEPTH {
        let layer = Sequential::new();
        let layer = match around {
            Around::NormAndResidual => layer.then(LayerNorm::new(WIDTH)),
            _ => layer,
        };
        let layer = layer.then(linear(start, WIDTH, random));
        let layer = match around {
            Around::LayerNorm => layer.then(LayerNorm::new(WIDTH)),
            Around::BatchNorm => layer.then(BatchNorm::new(WIDTH)),
            _ => layer,
        };
        let inner = layer.then(Tensor::relu);
        stack = match around {
            Around::Residual | Around::NormAndResidual => {
                stack.then(Residual { inner })
            }
            _ => stack.then(inner),
        };
    }
    stack.then(linear(start, 10, random))
}
// ANCHOR_END: stack

/// Creates a layer with 64 inputs.
fn linear(start: Start, outputs: usize, random: &mut Random) -> Linear {
    let layer = Linear::new(WIDTH, outputs, random);
    let deviation = match start {
        Start::Kaiming => return layer,
        Start::Torch => {
            return Linear::kaiming_uniform(WIDTH, outputs, random);
        }
        Start::Normal(deviation) => deviation,
        Start::Xavier => (2.0 / (WIDTH + outputs) as f32).sqrt(),
    };
    let weight = init::normal(&[WIDTH, outputs], deviation, random);
    Linear { weight, ..layer }
}

/// Returns the training set and the test set.
pub(crate) fn both() -> (Dataset, Dataset) {
    digits().split(SPLIT_SEED)
}

/// (rows, 64), on a device.
pub(crate) fn inputs(rows: &Dataset, device: Device) -> Result<Tensor, Error> {
    Tensor::new(&rows.shape(), &rows.inputs, device)
}

fn device(network: &Sequential) -> Device {
    network.parameters()[0].1.device()
}

/// Trains for one epoch and returns the mean loss.
pub(crate) fn epoch(
    network: &mut Sequential,
    optimizer: &mut dyn Optimizer,
    rows: &Dataset,
    random: &mut Random,
) -> Result<f32, Error> {
    let device = device(network);
    let mut total = Tensor::full(&[], 0.0, device)?;
    for batch in rows.batches(BATCH, random) {
        let scores = network.forward(&inputs(&batch, device)?);
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        optimizer.step(network.parameters_mut());
        total += loss.detach() * batch.rows() as f32;
    }
    Ok(total.item()? / rows.rows() as f32)
}

/// Returns the loss and the accuracy on `rows`, in evaluation mode.
pub(crate) fn examined(
    network: &Sequential,
    rows: &Dataset,
) -> Result<[f32; 2], Error> {
    network.eval();
    let x = inputs(rows, device(network))?;
    let scores = no_grad(|| network.forward(&x));
    network.train();
    let loss = scores.cross_entropy(&rows.labels).item()?;
    let guesses = predictions(&scores.to_vec()?, 10);
    Ok([loss, accuracy(&rows.labels, &guesses)])
}
