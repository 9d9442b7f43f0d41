//! The network, its loss and the training loop. The tests use this module too.

use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
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

// ANCHOR: train
/// A network with 64 inputs, 64 hidden units and 10 scores, and the state of
/// its training. The seed determines the initial weights and the order of the
/// rows; nothing else is random.
pub(crate) struct Training {
    pub(crate) network: Mlp,
    sgd: Sgd,
    random: Random,
}

impl Training {
    pub(crate) fn new(seed: u64) -> Training {
        let mut random = Random::new(seed);
        let network = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
        Training { network, sgd: Sgd::new(0.1, 0.9), random }
    }

    /// Trains for one epoch, then evaluates on the test set.
    pub(crate) fn epoch(
        &mut self,
        rows: &Dataset,
        held_out: &Dataset,
    ) -> Epoch {
        let mut total = 0.0;
        for batch in rows.batches(BATCH, &mut self.random) {
            let scores = scores(&self.network, &batch);
            let loss = scores.cross_entropy(&batch.labels);
            loss.backward();
            self.sgd.step(self.network.parameters());
            total += loss.to_vec()[0] * batch.rows() as f32;
        }
        let exam = scores(&self.network, held_out);
        let guesses = predictions(&exam.to_vec(), 10);
        Epoch {
            loss: total / rows.rows() as f32,
            held_out: exam.cross_entropy(&held_out.labels).to_vec()[0],
            accuracy: accuracy(&held_out.labels, &guesses),
        }
    }
}
// ANCHOR_END: train

/// Trains for `epochs` epochs and calls `tell` after each.
pub(crate) fn train(
    (rows, held_out): &(Dataset, Dataset),
    seed: u64,
    epochs: usize,
    mut tell: impl FnMut(Epoch),
) -> Mlp {
    let mut training = Training::new(seed);
    (0..epochs).for_each(|_| tell(training.epoch(rows, held_out)));
    training.network
}

/// (rows, 64) -> (rows, 10): one score per row and digit.
pub(crate) fn scores(network: &Mlp, rows: &Dataset) -> Tensor {
    network.forward(&Tensor::new(&rows.shape(), &rows.inputs))
}
