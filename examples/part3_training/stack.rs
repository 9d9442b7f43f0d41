//! A deep stack of layers for the digits, in several builds, and what trains
//! and examines it.

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{
    BatchNorm, LayerNorm, Linear, Module, Residual, Sequential, init,
};
use rungrad::optim::Optimizer;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

/// As many inputs as a digit has pixels, and as many outputs of each layer.
pub(crate) const WIDTH: usize = 64;
pub(crate) const BATCH: usize = 32;
const DEPTH: usize = 10;

/// How the weights of a layer begin.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// Normal numbers with this standard deviation.
    Normal(f32),
    /// With a variance of 2 / inputs: the layers of this book.
    Kaiming,
    /// With a variance of 2 / (inputs + outputs).
    Xavier,
    /// Even numbers up to 1 / sqrt(inputs): PyTorch's layers.
    Torch,
}

/// What stands around a layer.
#[derive(Clone, Copy)]
pub(crate) enum Around {
    Nothing,
    LayerNorm,
    BatchNorm,
    Residual,
    /// A layer norm in front, and a way past both.
    NormAndResidual,
}

// ANCHOR: stack
/// Ten layers of 64 outputs with a relu behind each, and ten scores.
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

/// A layer of 64 inputs.
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

/// The digits that are learned, and others to be examined on.
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

/// Goes once through all rows, and returns their mean loss.
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

// ANCHOR: examined
/// Returns the loss of rows in evaluation, and the share that is guessed right.
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
// ANCHOR_END: examined
