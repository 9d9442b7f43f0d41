//! The cost of a training step: the tensors that it records, and the ones
//! still alive afterwards.

use std::process::ExitCode;

use rungrad::data::{SPLIT_SEED, digits};
use rungrad::ledger;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

// ANCHOR: part1-ledger
fn main() -> ExitCode {
    rungrad::run(|| {
        let (rows, _) = digits().split(SPLIT_SEED);
        let mut random = Random::new(0);
        let mut network = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
        let mut sgd = Sgd::new(0.1, 0.9);
        let batches: Vec<_> = rows.batches(32, &mut random).collect();

        for (count, name) in [(1, "one batch"), (45, "all rows")] {
            let ((), cost) = ledger::measure(|| {
                for batch in &batches[..count] {
                    let x = Tensor::new(&batch.shape(), &batch.inputs);
                    let loss = network.forward(&x).cross_entropy(&batch.labels);
                    loss.backward();
                    sgd.step(network.parameters());
                }
            });
            println!("{name}: {} tensors recorded", cost.nodes);
            println!("    {} of them left", cost.live_nodes());
        }
        Ok(())
    })
}
// ANCHOR_END: part1-ledger
