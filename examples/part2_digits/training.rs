//! The network of Part 1, its optimizer and its training loop on raw kernels.
//! Two layers do not need modules, and the update takes four lines. The tests
//! use this module too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
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

/// A network with 64 inputs, 64 hidden units and 10 scores.
pub(crate) struct Network {
    /// The weight and the bias of the first layer, then of the second.
    pub(crate) parameters: [Tensor; 4],
    /// The momentum of each parameter.
    velocity: [Tensor; 4],
}

impl Network {
    /// Creates the network on a device, with the same initial weights as in
    /// Part 1.
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
/// (rows, 64) -> (rows, 10): one score per row and digit.
pub(crate) fn scores(parameters: &[Tensor; 4], x: &Tensor) -> Tensor {
    let [weight1, bias1, weight2, bias2] = parameters;
    let hidden = x.matmul(weight1).add(bias1).relu();
    hidden.matmul(weight2).add(bias2)
}
// ANCHOR_END: scores

// ANCHOR: learn
impl Network {
    /// Trains on one batch and returns its loss, which stays on the device.
    pub(crate) fn learn(&mut self, batch: &Dataset) -> Result<Tensor, Error> {
        let x = inputs(self.parameters[0].gpu(), batch)?;
        let loss = scores(&self.parameters, &x).cross_entropy(&batch.labels);
        loss.backward();
        self.step();
        Ok(loss.detach())
    }

    /// Computes `velocity = 0.9 velocity + grad`, then `parameter = parameter
    /// - 0.1 velocity`.
    ///
    /// The operands are detached, because the update itself needs no gradient.
    /// The results are new leaves.
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

/// Trains on a device. The seed determines the initial weights and the order
/// of the rows, as in Part 1. `tell` is called after each epoch.
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
        // The sum stays on the device, because reading it would wait for the
        // device.
        let mut total = Tensor::new(gpu, &[], &[0.0])?;
        for batch in rows.batches(BATCH, &mut random) {
            let loss = network.learn(&batch)?;
            total = total.add(&loss.scale(batch.rows() as f32));
        }
        // Evaluation records no graph.
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
