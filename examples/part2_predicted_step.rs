//! Predicts the time of a training step of Part 2 from the price of a launch,
//! and measures it, beside the same step of Part 1.

#[allow(dead_code)]
#[path = "part2_digits/training.rs"]
mod training;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::opencl::{Gpu, record};
use rungrad::part1_cpu;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::part2_gpu::Tensor;
use rungrad::rng::Random;
use rungrad::stopwatch::{Seconds, host, machine};

use training::{BATCH, Network};

/// Steps per measurement: an epoch has 45.
const STEPS: usize = 45;

// ANCHOR: part2-step
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        print!("{}", machine(&gpu));
        let (rows, _) = digits().split(SPLIT_SEED);
        let batch = rows.batches(BATCH, &mut Random::new(0)).next();
        let batch = batch.expect("there are rows");

        let mut network = Network::new(&gpu, &mut Random::new(0))?;
        let mut step = || network.learn(&batch);
        step()?.to_vec()?;
        let (_, timeline) = record(|| step()?.to_vec())?;
        let launches = timeline.launches().count();
        let times = timeline.launches().filter_map(|launch| launch.times);
        let work = times.map(|it| it.ran()).sum::<u64>() as f64 * 1e-9;

        // Launches that do next to nothing, without a wait between them.
        let one = Tensor::new(&gpu, &[1], &[1.0])?;
        let queued = host(|| {
            (0..launches).for_each(|_| drop(one.scale(0.5)));
            gpu.finish()
        })?;
        let steps = host(|| {
            (1..STEPS).try_for_each(|_| step().map(drop))?;
            step()?.to_vec()
        })?;

        let row = |what: &str, time| {
            println!("{what:<30} {:>9}", Seconds(time));
        };
        println!();
        row(&format!("{launches} launches of one item"), queued);
        row("the step's kernels, by events", work);
        row("the step, measured", steps / STEPS as f64);
        row("the same step in part 1", part1(&batch)?);
        Ok(())
    })
}
// ANCHOR_END: part2-step

/// Returns the seconds of a step of Part 1.
fn part1(batch: &Dataset) -> Result<f64, Error> {
    let mut random = Random::new(0);
    let relu = part1_cpu::Tensor::relu;
    let mut network = Mlp::new(&[64, 64, 10], relu, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    let step = || {
        let x = part1_cpu::Tensor::new(&batch.shape(), &batch.inputs);
        let loss = network.forward(&x).cross_entropy(&batch.labels);
        loss.backward();
        sgd.step(network.parameters());
        Ok(())
    };
    host(step)
}
