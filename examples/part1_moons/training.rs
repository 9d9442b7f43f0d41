//! The network of the moons while it learns, epoch by epoch.

use rungrad::data::{Dataset, moons};
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

pub(crate) const EPOCHS: usize = 100;

/// The points that are learned, and others to be examined on.
pub(crate) fn both_moons() -> (Dataset, Dataset) {
    (moons(200, 0.15, 1), moons(200, 0.15, 2))
}

/// What a time through all points has brought.
pub(crate) struct Epoch {
    /// The mean loss of the points while they were learned.
    pub(crate) loss: f32,
    /// The share of the others that is guessed right.
    pub(crate) accuracy: f32,
}

/// Two inputs, two hidden layers, a score for each moon. The bends of tanh
/// are smooth, and so is the border.
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

    /// Goes once through all points, and then to the examination.
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

/// How much of each point, given as x, y, x, y, .., the network gives to the
/// second moon.
pub(crate) fn shares(network: &Mlp, points: &[f32]) -> Vec<f32> {
    let points = Tensor::new(&[points.len() / 2, 2], points);
    let shares = network.forward(&points).softmax().to_vec();
    shares.chunks(2).map(|share| share[1]).collect()
}
