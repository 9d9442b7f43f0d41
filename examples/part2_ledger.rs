//! Counts the cost of a training step in Part 1 and in Part 2.

// Only the step of the example `part2_digits` is used here.
#[allow(dead_code)]
#[path = "part2_digits/training.rs"]
mod training;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::ledger::{self, Counts};
use rungrad::opencl::Gpu;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

use training::{BATCH, Network};

fn main() -> ExitCode {
    rungrad::run(|| {
        let (rows, _) = digits().split(SPLIT_SEED);
        let batch = rows.batches(BATCH, &mut Random::new(0)).next();
        let batch = batch.expect("there are rows");
        let gpu = Gpu::first()?;
        let mut network = Network::new(&gpu, &mut Random::new(0))?;
        let part1 = part1(&batch);
        let first = part2(&mut network, &batch)?;
        let second = part2(&mut network, &batch)?;

        println!("one step          part 1    part 2   its second");
        let row = |what: &str, count: fn(&Counts) -> u64| {
            let counts = [part1, first, second].map(|counts| count(&counts));
            let [part1, first, second] = counts;
            println!("{what:<16}{part1:>8}{first:>10}{second:>13}");
        };
        row("tensors made", |c| c.nodes);
        row("kernels launched", |c| c.launches);
        row("programs built", |c| c.builds);
        row("buffers made", |c| c.allocations);
        row("buffers freed", |c| c.frees);
        row("bytes sent", |c| c.bytes_to_device);
        row("bytes read", |c| c.bytes_to_host);
        Ok(())
    })
}

/// Runs one step of Part 1.
fn part1(batch: &Dataset) -> Counts {
    let mut random = Random::new(0);
    let mut network = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    let ((), counts) = ledger::measure(|| {
        let x = Tensor::new(&batch.shape(), &batch.inputs);
        let loss = network.forward(&x).cross_entropy(&batch.labels);
        loss.backward();
        sgd.step(network.parameters());
    });
    counts
}

/// Runs one step of Part 2 and reads its loss, as a training loop would.
fn part2(network: &mut Network, batch: &Dataset) -> Result<Counts, Error> {
    let (loss, counts) = ledger::measure(|| network.learn(batch)?.to_vec());
    loss.map(|_| counts)
}
