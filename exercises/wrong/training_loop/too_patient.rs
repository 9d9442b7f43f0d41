// training_loop: learn, and stop in time.
//
// WHAT   An epoch learns every row once, in batches of 32 in the order of
//        `rows.batches(32, random)`, and then asks for the loss of the rows
//        that are held out. Stop as soon as `patience` epochs in a row have
//        not brought it below its least value, leave in the network the
//        parameters that had the least, and return the held-out loss of each
//        epoch.
// WHY    After some epochs a network learns what is peculiar to its rows. The
//        held-out loss shows when, and the network of that moment is the one
//        that you want.
// READ   Train the digits
// CHECK  cargo learn check training_loop

use rungrad::data::Dataset;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

/// Computes the mean loss of the rows, as a tensor that can be swept.
fn loss(network: &Mlp, rows: &Dataset) -> Tensor {
    let inputs = Tensor::new(&rows.shape(), &rows.inputs);
    network.forward(&inputs).cross_entropy(&rows.labels)
}

/// Trains until it is no use, and returns the held-out loss of each epoch.
pub fn train(
    network: &mut Mlp,
    rows: &Dataset,
    held_out: &Dataset,
    patience: usize,
    random: &mut Random,
) -> Vec<f32> {
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut losses: Vec<f32> = Vec::new();
    let mut least = f32::INFINITY;
    let mut best: Vec<Tensor> = Vec::new();
    let mut in_vain = 0;
    while in_vain <= patience {
        for batch in rows.batches(32, random) {
            loss(network, &batch).backward();
            sgd.step(network.parameters());
        }
        let now = loss(network, held_out).to_vec()[0];
        losses.push(now);
        in_vain += 1;
        if now < least {
            least = now;
            in_vain = 0;
            let parameters = network.parameters().into_iter();
            best = parameters.map(|(_, p)| p.clone()).collect();
        }
    }
    for ((_, parameter), kept) in network.parameters().into_iter().zip(best) {
        *parameter = kept;
    }
    losses
}
