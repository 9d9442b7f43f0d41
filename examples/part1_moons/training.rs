//! Trains the network of the moons, epoch by epoch.

use rungrad::data::{Dataset, moons};
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

pub(crate) const EPOCHS: usize = 100;

/// Returns the training set and the test set.
pub(crate) fn both_moons() -> (Dataset, Dataset) {
    (moons(200, 0.15, 1), moons(200, 0.15, 2))
}

/// The results of one epoch.
pub(crate) struct Epoch {
    /// Mean loss on the training set, measured while training.
    pub(crate) loss: f32,
    /// Fraction of the test set that is classified correctly.
    pub(crate) accuracy: f32,
}

/// Two inputs, two hidden layers, one score per moon. Because tanh is smooth,
/// the decision boundary is smooth too.
pub(crate) struct Training {
    pub(crate) network: Mlp,
    sgd: Sgd,
    random: Random,
}

impl Training {
    pub(crate) fn new() -> Training {
        let mut random = Random::new(0);
        let sizes = [2, 16, 16, 2];
        let network = Mlp::new(&sizes, Tensor::tanh, &mut random);
        Training { network, sgd: Sgd::new(0.1, 0.9), random }
    }

    /// Trains for one epoch, then evaluates on the test set.
    pub(crate) fn epoch(
        &mut self,
        points: &Dataset,
        others: &Dataset,
    ) -> Epoch {
        let mut total = 0.0;
        for batch in points.batches(40, &mut self.random) {
            let scores = scores(&self.network, &batch);
            let loss = scores.cross_entropy(&batch.labels);
            loss.backward();
            self.sgd.step(self.network.parameters());
            total += loss.to_vec()[0] * batch.rows() as f32;
        }
        let exam = scores(&self.network, others).to_vec();
        Epoch {
            loss: total / points.rows() as f32,
            accuracy: accuracy(&others.labels, &predictions(&exam, 2)),
        }
    }
}

fn scores(network: &Mlp, rows: &Dataset) -> Tensor {
    network.forward(&Tensor::new(&rows.shape(), &rows.inputs))
}

/// Returns the probability of the second moon for each point of `points`,
/// which are given as x, y, x, y, ...
pub(crate) fn shares(network: &Mlp, points: &[f32]) -> Vec<f32> {
    let points = Tensor::new(&[points.len() / 2, 2], points);
    let shares = network.forward(&points).softmax().to_vec();
    shares.chunks(2).map(|share| share[1]).collect()
}
