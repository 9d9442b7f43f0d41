//! Part 2 learns the digits like Part 1, and a training step has a known cost.
//! The training loops are those from the examples `part1_digits` and
//! `part2_digits`.

#[allow(dead_code)]
#[path = "../examples/part1_digits/training.rs"]
mod part1;
#[path = "../examples/part2_digits/training.rs"]
mod part2;

use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::ledger;
use rungrad::opencl::{self, Gpu};
use rungrad::part2_gpu::Tensor;
use rungrad::rng::Random;
use rungrad::timeline::SliceKind;

use part2::{BATCH, Network, scores, train};
use testkit::device::gpu_or_skip;

/// Every OpenCL device of this machine.
fn devices() -> Vec<Gpu> {
    let count = gpu_or_skip().map_or(0, |_| opencl::devices().unwrap().len());
    (0..count).map(|index| Gpu::open(index).unwrap()).collect()
}

fn split() -> (Dataset, Dataset) {
    digits().split(SPLIT_SEED)
}

/// The loss of each batch of the first epoch.
fn losses(rows: &Dataset, gpu: &Gpu) -> Vec<f32> {
    let mut random = Random::new(0);
    let mut network = Network::new(gpu, &mut random).unwrap();
    let learn = |batch| network.learn(&batch).unwrap().to_vec().unwrap()[0];
    rows.batches(BATCH, &mut random).map(learn).collect()
}

/// The losses of Part 1 for the same batches.
fn losses_of_part_1(rows: &Dataset) -> Vec<f32> {
    use rungrad::part1_cpu::{Tensor, nn::Mlp, optim::Sgd};

    let mut random = Random::new(0);
    let mut network = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    let learn = |batch: Dataset| {
        let scores = part1::scores(&network, &batch);
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        sgd.step(network.parameters());
        loss.to_vec()[0]
    };
    rows.batches(BATCH, &mut random).map(learn).collect()
}

/// Promise: Part 2 learns the digits with the losses of Part 1, batch by batch.
#[test]
fn part_2_has_the_losses_of_part_1() {
    let (rows, _) = split();
    let right = losses_of_part_1(&rows);
    assert_eq!(right.len(), 45);
    for gpu in devices() {
        let yours = losses(&rows, &gpu);
        assert_eq!(yours.len(), right.len());
        for (batch, (yours, right)) in yours.iter().zip(&right).enumerate() {
            let near = (yours - right).abs() < 1e-3;
            assert!(near, "{gpu:?}, batch {batch}: {yours}, not {right}");
        }
    }
}

/// Runs the training loops of the two examples.
#[test]
fn the_digits_examples_of_both_parts_train_alike() {
    let split = split();
    let mut right = Vec::new();
    part1::train(&split, 0, 2, |epoch| right.push(epoch));
    for gpu in devices() {
        let mut yours = Vec::new();
        train(&split, 0, 2, &gpu, |epoch| yours.push(epoch)).unwrap();
        assert_eq!(yours.len(), 2);
        for (yours, right) in yours.iter().zip(&right) {
            assert!((yours.loss - right.loss).abs() < 1e-3, "{gpu:?}");
            assert!((yours.held_out - right.held_out).abs() < 1e-3);
            assert!((yours.accuracy - right.accuracy).abs() < 0.01);
        }
    }
}

/// Promise: Two training runs of Part 2 give the same bits.
#[test]
fn training_is_bitwise_reproducible() {
    let (rows, _) = split();
    for gpu in devices() {
        let bits = || losses(&rows, &gpu).into_iter().map(f32::to_bits);
        assert!(bits().eq(bits()), "{gpu:?}");
    }
}

/// The figure in "Train on your kernels" names the kernels in launch order and
/// calls every kernel of the ladder `matmul`.
#[test]
fn the_figure_shows_the_launches_of_a_step() {
    let Some(gpu) = gpu_or_skip() else { return };
    let (rows, _) = split();
    let batch = rows.batches(BATCH, &mut Random::new(0)).next().unwrap();
    let mut network = Network::new(&gpu, &mut Random::new(0)).unwrap();
    let step = || network.learn(&batch).unwrap();
    let (_, timeline) = opencl::record(step).unwrap();
    let slices = timeline.slices.iter();
    let launched = slices.filter(|slice| slice.kind == SliceKind::Launch);
    let launched: Vec<&str> = launched
        .map(|slice| match slice.name.starts_with("matmul") {
            true => "matmul",
            false => &slice.name,
        })
        .collect();
    let figure = include_str!("../book/figures/step-launches.svg");
    let drawn: Vec<&str> = figure
        .lines()
        .filter_map(|line| {
            let turned = line.contains("rotate(-90)");
            let text = line.split(['>', '<']).nth(2)?;
            turned.then_some(text)
        })
        .collect();
    assert_eq!(launched, drawn);
}

/// The counts from "Train on your kernels": ten launches forward, eighteen
/// backward, and four for each parameter.
///
/// Promise: A training step of Part 2 costs what the chapter "Train on your
/// kernels" says and leaves nothing in memory.
#[test]
fn a_training_step_has_a_known_cost() {
    let (rows, _) = split();
    let batch = rows.batches(BATCH, &mut Random::new(0)).next().unwrap();
    for gpu in devices() {
        let mut network = Network::new(&gpu, &mut Random::new(0)).unwrap();
        let x = Tensor::new(&gpu, &batch.shape(), &batch.inputs).unwrap();
        let (loss, forward) = ledger::measure(|| {
            scores(&network.parameters, &x).cross_entropy(&batch.labels)
        });
        let ((), backward) = ledger::measure(|| loss.backward());
        let ((), update) = ledger::measure(|| network.step());
        let launches = [forward, backward, update].map(|c| c.launches);
        assert_eq!(launches, [10, 18, 4 * 4]);
        drop((x, loss));

        let ((), step) =
            ledger::measure(|| drop(network.learn(&batch).unwrap()));
        assert_eq!(step.launches, 10 + 18 + 4 * 4);
        assert_eq!(step.builds, 0, "the first step has built everything");
        // The input rows, the labels and the seed of the backward pass.
        assert_eq!(step.bytes_to_device, 4 * (32 * 64 + 33 + 1));
        assert_eq!(step.bytes_to_host, 0, "nothing waits for the device");
        // The update replaces parameters and velocities, and the old ones are
        // freed.
        assert_eq!((step.allocations, step.frees), (47, 47));
        assert_eq!(step.live_nodes(), 0);
    }
}
