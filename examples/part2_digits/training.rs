//! The network of Part 1, its optimizer and its loop, on raw kernels: two
//! layers need no modules, and their update is four lines. The tests train by
//! it too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
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

/// 64 inputs, 64 hidden outputs, 10 scores.
pub(crate) struct Network {
    /// The weight and the bias of the first layer, then of the second.
    pub(crate) parameters: [Tensor; 4],
    /// In which direction each of them is on its way.
    velocity: [Tensor; 4],
}

impl Network {
    /// The same numbers as in Part 1, on a device.
    pub(crate) fn new(
        gpu: &Gpu,
        random: &mut Random,
    ) -> Result<Network, Error> {
        let mut weight = |inputs: usize, outputs: usize| {
            let deviation = (2.0 / inputs as f32).sqrt();
            let draw = |_| deviation * random.normal();
            let values: Vec<f32> = (0..inputs * outputs).map(draw).collect();
            Tensor::new(gpu, &[inputs, outputs], &values)
        };
        let bias = |outputs| Tensor::new(gpu, &[outputs], &vec![0.0; outputs]);
        let values = [weight(64, 64)?, bias(64)?, weight(64, 10)?, bias(10)?];
        Ok(Network {
            velocity: values.each_ref().map(|value| value.scale(0.0)),
            parameters: values.map(|value| value.requires_grad()),
        })
    }
}

// ANCHOR: scores
/// (rows, 64) -> (rows, 10): how much each row looks like each digit.
pub(crate) fn scores(parameters: &[Tensor; 4], x: &Tensor) -> Tensor {
    let [weight1, bias1, weight2, bias2] = parameters;
    let hidden = x.matmul(weight1).add(bias1).relu();
    hidden.matmul(weight2).add(bias2)
}
// ANCHOR_END: scores

// ANCHOR: learn
impl Network {
    /// Learns a batch, and gives its loss, which stays on the device.
    pub(crate) fn learn(&mut self, batch: &Dataset) -> Result<Tensor, Error> {
        let x = inputs(self.parameters[0].gpu(), batch)?;
        let loss = scores(&self.parameters, &x).cross_entropy(&batch.labels);
        loss.backward();
        self.step();
        Ok(loss.detach())
    }

    /// `velocity = 0.9 velocity + grad`, then
    /// `parameter = parameter - 0.1 velocity`.
    ///
    /// Detached, because nobody wants the gradient of a step. What it makes
    /// becomes a new leaf, which remembers nothing.
    pub(crate) fn step(&mut self) {
        let pairs = self.parameters.iter_mut().zip(&mut self.velocity);
        for (parameter, velocity) in pairs {
            let grad = parameter.grad().expect("backward was called");
            *velocity = velocity.scale(0.9).add(&grad);
            let better = parameter.detach().add(&velocity.scale(-0.1));
            *parameter = better.requires_grad();
        }
    }
}
// ANCHOR_END: learn

/// (rows, 64), on a device.
fn inputs(gpu: &Gpu, rows: &Dataset) -> Result<Tensor, Error> {
    Tensor::new(gpu, &rows.shape(), &rows.inputs)
}

/// Trains on a device. The seed decides the first weights and the order of
/// the rows, as it does in Part 1. `tell` hears of each epoch.
pub(crate) fn train(
    (rows, held_out): &(Dataset, Dataset),
    seed: u64,
    epochs: usize,
    gpu: &Gpu,
    mut tell: impl FnMut(Epoch),
) -> Result<Network, Error> {
    let mut random = Random::new(seed);
    let mut network = Network::new(gpu, &mut random)?;
    let unseen = inputs(gpu, held_out)?;
    for _ in 0..epochs {
        // The sum stays on the device too: to read it is to wait.
        let mut total = Tensor::new(gpu, &[], &[0.0])?;
        for batch in rows.batches(BATCH, &mut random) {
            let loss = network.learn(&batch)?;
            total = total.add(&loss.scale(batch.rows() as f32));
        }
        // Nothing is recorded of an examination.
        let parameters = network.parameters.each_ref().map(Tensor::detach);
        let exam = scores(&parameters, &unseen);
        let predictions = predictions(&exam.to_vec()?, 10);
        tell(Epoch {
            loss: total.to_vec()?[0] / rows.rows() as f32,
            held_out: exam.cross_entropy(&held_out.labels).to_vec()?[0],
            accuracy: accuracy(&held_out.labels, &predictions),
        });
    }
    Ok(network)
}
