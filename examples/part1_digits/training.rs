//! The network, its loss and the loop. The tests train by it too.

use rungrad::data::Dataset;
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

pub(crate) const EPOCHS: usize = 20;
const BATCH: usize = 32;

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

// ANCHOR: train
/// A network of 64 inputs, 64 hidden outputs and 10 scores, while it learns.
/// The seed decides its first weights and the order of the rows, and nothing
/// else is left to chance.
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

    /// Goes once through all rows, and then to the examination.
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

/// Trains for so many epochs; `tell` hears of each.
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

/// (rows, 64) -> (rows, 10): how much each row looks like each digit.
pub(crate) fn scores(network: &Mlp, rows: &Dataset) -> Tensor {
    network.forward(&Tensor::new(&rows.shape(), &rows.inputs))
}
