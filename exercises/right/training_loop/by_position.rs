// training_loop: train, and stop in time.
//
// WHAT   Split `rows` with `rows.split(SEED)` into a training set and a
//        validation set. An epoch trains on every row of the training set
//        once, in batches of 32 from `training.batches(32, random)`, and then
//        computes the loss of the validation set. Stop as soon as that loss
//        has not reached a new minimum for `patience` epochs in a row. Leave
//        the parameters of the epoch with the smallest validation loss in the
//        network. Report the validation loss of each epoch, and the loss of
//        the test set, which you compute once, at the end.
// WHY    After some epochs a network learns details that only its training
//        set has. The validation loss shows when. But a loss that has chosen
//        the network is too good as a report on it, so the report comes from
//        rows that have made no choice: the test set.
// READ   Train the digits
// CHECK  cargo learn check training_loop

use rungrad::data::Dataset;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

/// The seed of the split into training set and validation set.
pub const SEED: u64 = 4;

/// The losses of a training run.
pub struct Report {
    /// The loss of the validation set after each epoch.
    pub validation: Vec<f32>,
    /// The loss of the test set, for the network that is left.
    pub test: f32,
}

/// Returns the mean loss of the rows, as a tensor with a graph.
fn loss(network: &Mlp, rows: &Dataset) -> Tensor {
    let inputs = Tensor::new(&rows.shape(), &rows.inputs);
    network.forward(&inputs).cross_entropy(&rows.labels)
}

/// Trains until the validation loss stops falling.
pub fn train(
    network: &mut Mlp,
    rows: &Dataset,
    test: &Dataset,
    patience: usize,
    random: &mut Random,
) -> Report {
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut losses: Vec<f32> = Vec::new();
    let (training, validation) = rows.split(SEED);
    let mut best: (usize, Vec<Tensor>) = (0, Vec::new());
    loop {
        for batch in training.batches(32, random) {
            loss(network, &batch).backward();
            sgd.step(network.parameters());
        }
        let now = loss(network, &validation).to_vec()[0];
        let epoch = losses.len();
        losses.push(now);
        if epoch == 0 || now < losses[best.0] {
            let parameters = network.parameters().into_iter();
            best = (epoch, parameters.map(|(_, p)| p.clone()).collect());
        } else if epoch - best.0 == patience {
            break;
        }
    }
    for ((_, parameter), kept) in network.parameters().into_iter().zip(best.1) {
        *parameter = kept;
    }
    let test = loss(network, test).to_vec()[0];
    Report { validation: losses, test }
}
