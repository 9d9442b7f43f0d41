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
    let mut best: (usize, Vec<Tensor>) = (0, Vec::new());
    loop {
        for batch in rows.batches(32, random) {
            loss(network, &batch).backward();
            sgd.step(network.parameters());
        }
        let now = loss(network, held_out).to_vec()[0];
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
    losses
}
