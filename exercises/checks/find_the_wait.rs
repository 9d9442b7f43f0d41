//! Checks `find_the_wait`, a training loop that runs ahead of the device.
//!
//! It counts waits instead of measuring time, because the speed of a machine
//! varies.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check_on_device, expect, numbers, wrong};
use rungrad::ledger::{self, Counts};
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::opencl::{Gpu, record};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;
use rungrad::timeline::SliceKind;

exercises::yours!("part3_unified/find_the_wait.rs");

use yours::Report;

const ROWS: usize = 16;
const INPUTS: usize = 32;

fn main() -> ExitCode {
    check_on_device(
        "find_the_wait",
        YOURS,
        &[
            ("the report is unchanged", reports),
            ("the weights are unchanged", learns),
            ("the work is done on the device", launches),
            ("an epoch waits once or twice", waits),
            ("no graph outlives its step", forgets),
        ],
    )
}

/// The same network, optimizer and batches for each run.
struct Scene {
    network: Sequential,
    sgd: Sgd,
    batches: Vec<(Tensor, Vec<usize>)>,
    device: Device,
}

impl Scene {
    fn new(gpu: &Gpu, batches: u64) -> Result<Scene, Stop> {
        let device = Device::Gpu(gpu.info().index);
        let mut random = Random::new(1);
        let mut network = Sequential::new()
            .then(Linear::new(INPUTS, 64, &mut random))
            .then(Tensor::relu)
            .then(Linear::new(64, 10, &mut random));
        network.to(device)?;
        let batch = |seed| {
            let values = numbers(seed, ROWS * INPUTS);
            let inputs = Tensor::new(&[ROWS, INPUTS], &values, device)?;
            let labels = (0..ROWS).map(|row| (row + seed as usize) % 10);
            Ok((inputs, labels.collect()))
        };
        let batches =
            (2..2 + batches).map(batch).collect::<Result<_, Stop>>()?;
        Ok(Scene { network, sgd: Sgd::new(0.05, 0.9), batches, device })
    }

    fn yours(&mut self) -> Result<(Report, Counts), Stop> {
        let Scene { network, sgd, batches, device } = self;
        let epoch = || yours::epoch(network, sgd, batches, *device);
        let (report, counts) = ledger::measure(epoch);
        Ok((report?, counts))
    }

    /// The loop that waits in every step.
    fn right(&mut self) -> Result<Vec<f32>, Stop> {
        let mut losses = vec![];
        for (inputs, labels) in &self.batches {
            let loss = self.network.forward(inputs).cross_entropy(labels);
            loss.backward();
            self.sgd.step(self.network.parameters_mut());
            losses.push(loss.to_vec()?[0]);
        }
        Ok(losses)
    }
}

fn reports(gpu: &Gpu) -> Outcome {
    for batches in [1, 5] {
        let (report, _) = Scene::new(gpu, batches)?.yours()?;
        let losses = Scene::new(gpu, batches)?.right()?;
        let count = losses.len() as f32;
        let sum: f32 = losses.iter().sum();
        let last = losses[losses.len() - 1];
        let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * b.abs();
        if count > 1.0 && near(report.mean, sum) {
            return Err(wrong(format!(
                "The mean of {count} losses is {}, but you report their sum, \
                 {}.",
                sum / count,
                report.mean
            )));
        }
        if count > 1.0 && near(report.mean, last) {
            return Err(wrong(format!(
                "Your mean is the loss of the last batch, {last}. That saves \
                 the waits but loses the other losses."
            )));
        }
        expect("The mean of the losses", &[report.mean], &[sum / count])?;
        let least = losses.into_iter().fold(f32::INFINITY, f32::min);
        expect("The smallest of the losses", &[report.least], &[least])?;
    }
    Ok(())
}

fn learns(gpu: &Gpu) -> Outcome {
    let [mut yours, mut right] = [Scene::new(gpu, 4)?, Scene::new(gpu, 4)?];
    yours.yours()?;
    right.right()?;
    let pairs = yours.network.parameters();
    for ((name, yours), (_, right)) in
        pairs.iter().zip(right.network.parameters())
    {
        if yours.device() != right.device() {
            return Err(wrong(format!(
                "After the epoch {name} is on {}, but it was on {}.",
                yours.device(),
                right.device()
            )));
        }
        let what = format!("After 4 steps the parameter {name}");
        expect(&what, &yours.to_vec()?, &right.to_vec()?)?;
    }
    Ok(())
}

fn launches(gpu: &Gpu) -> Outcome {
    let (_, counts) = Scene::new(gpu, 4)?.yours()?;
    let (_, right) = ledger::measure(|| Scene::new(gpu, 4)?.right());
    // Some launches may be saved, but not half of them.
    if counts.launches * 2 < right.launches {
        return Err(wrong(format!(
            "4 steps took {} launches, but they should take about {}: the work \
             is done elsewhere.",
            counts.launches, right.launches
        )));
    }
    Ok(())
}

fn waits(gpu: &Gpu) -> Outcome {
    let mut scene = Scene::new(gpu, 12)?;
    let (epoch, timeline) = record(|| scene.yours())?;
    let (_, counts) = epoch?;
    if counts.waits <= 2 {
        return Ok(());
    }
    let count = |kind| {
        timeline.slices.iter().filter(|slice| slice.kind == kind).count()
    };
    let [reads, finishes] = [SliceKind::Read, SliceKind::Finish].map(count);
    let why = match (reads >= 12, finishes >= 12) {
        (true, true) => {
            "That is two per batch: the loop still reads the loss, and it \
             still synchronizes."
        }
        (true, false) => {
            "That is one per batch. Reading 12 numbers one by one waits 12 \
             times, inside the loop or after it: join them on the device, and \
             read once."
        }
        (false, true) => {
            "No step reads anything, but each step waits: `synchronize` waits \
             for all enqueued work."
        }
        _ => {
            "An epoch needs to wait once or twice, however many batches it \
             has."
        }
    };
    Err(wrong(format!(
        "In 12 batches there were {} launches, {reads} reads and {finishes} \
         calls that wait for all work; the ledger counts {} waits. {why}",
        count(SliceKind::Launch),
        counts.waits
    )))
}

fn forgets(gpu: &Gpu) -> Outcome {
    let mut short = Scene::new(gpu, 2)?;
    let now = short.device.memory()?.now;
    short.yours()?;
    let before = short.device.memory()?.peak - now;
    let mut long = Scene::new(gpu, 40)?;
    let now = long.device.memory()?.now;
    long.yours()?;
    let after = long.device.memory()?.peak.saturating_sub(now);
    if after > 2 * before {
        return Err(wrong(format!(
            "2 batches need {before} bytes at the peak, and 40 batches \
             {after}: the graph of every step is kept alive by its loss. \
             `loss.detach()` has the value but no graph."
        )));
    }
    Ok(())
}
