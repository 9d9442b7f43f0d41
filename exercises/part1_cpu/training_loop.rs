// training_loop: train, and stop in time.
//
// WHAT   An epoch trains on every row once, in batches of 32 from
//        `rows.batches(32, random)`, and then computes the loss of the
//        held-out rows. Stop as soon as that loss has not reached a new
//        minimum for `patience` epochs in a row. Leave the parameters of the
//        epoch with the smallest held-out loss in the network, and return the
//        held-out loss of each epoch.
// WHY    After some epochs a network learns details that only its training
//        rows have. The held-out loss shows when, and the best network is the
//        one from that moment.
// READ   Train the digits
// CHECK  cargo learn check training_loop

use rungrad::data::Dataset;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

/// Returns the mean loss of the rows, as a tensor with a graph.
fn loss(network: &Mlp, rows: &Dataset) -> Tensor {
    let inputs = Tensor::new(&rows.shape(), &rows.inputs);
    network.forward(&inputs).cross_entropy(&rows.labels)
}

/// Trains until the loss stops falling, and returns the held-out loss of each
/// epoch.
pub fn train(
    network: &mut Mlp,
    rows: &Dataset,
    held_out: &Dataset,
    patience: usize,
    random: &mut Random,
) -> Vec<f32> {
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut losses: Vec<f32> = Vec::new();
    // `network.parameters()` lists (name, &mut Tensor), which `sgd.step`
    // expects, and of which you keep clones. `loss(..).to_vec()[0]` is the
    // loss as a number.
    todo!("TODO(training_loop): epochs, until the patience runs out")
}
