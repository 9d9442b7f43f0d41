//! All numbers into one: the six ways give the same sum, whatever their number
//! is, and all of them but one the same bits in every run.

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::part2_gpu::totals::{LADDER, Rung};
use rungrad::rng::Random;

use testkit::device::gpu_or_skip;

/// One, less than a warp and a group, one more and one less than a group, than
/// a group's groups, than what a group of items with many numbers has; and more
/// than all groups have at a number for each item.
const SIZES: [usize; 13] = [
    1, 31, 255, 256, 257, 4095, 4097, 65_535, 65_536, 65_537, 100_000, 300_001,
    5_000_000,
];

/// Adds up numbers by a rung. What it writes is full of NaN before.
fn sum(gpu: &Gpu, rung: &Rung, numbers: &[f32]) -> f32 {
    let a = gpu.upload(numbers).unwrap();
    let room = rung.room(gpu, numbers.len()).unwrap();
    // Twice: nothing of the first sum may be left in the second.
    for _ in 0..2 {
        room.total().write(&[f32::NAN]).unwrap();
        for launch in rung.launches(&a, &room) {
            launch.run().unwrap();
        }
    }
    room.total().read().unwrap()[0]
}

/// Small whole numbers, of which every sum is exact: one number too many or
/// too few is seen.
///
/// Promise: All six sum kernels give the exact sum of whole numbers, for every
/// number of elements.
#[test]
fn every_way_gives_the_exact_sum_of_whole_numbers() {
    let Some(gpu) = gpu_or_skip() else { return };
    for n in SIZES {
        let numbers: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 1.0).collect();
        let exact: f64 = numbers.iter().map(|x| f64::from(*x)).sum();
        for rung in &LADDER {
            let found = sum(&gpu, rung, &numbers);
            let name = rung.kernel.name();
            assert_eq!(f64::from(found), exact, "{name} of {n}");
        }
    }
}

/// A chain of an item has at most 16 numbers and a few, and no sum of a tree is
/// rounded more than 40 times.
///
/// Promise: All six sum kernels err by only a few roundings.
#[test]
fn every_way_errs_by_few_roundings() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(17);
    let n = 1_000_003;
    let numbers: Vec<f32> = (0..n).map(|_| random.uniform()).collect();
    let exact: f64 = numbers.iter().map(|x| f64::from(*x)).sum();
    for rung in &LADDER {
        let off = (f64::from(sum(&gpu, rung, &numbers)) - exact).abs() / exact;
        assert!(off <= 40.0 * 2_f64.powi(-24), "{:?} {off:e}", rung.kernel);
    }
}

/// Five of the six. The groups of the other one come in another order each
/// time, and a device with one place for them cannot show it.
///
/// Promise: All sum kernels except the atomic one give the same bits in every
/// run.
#[test]
fn all_but_the_atomic_way_give_the_same_bits_again() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(17);
    let numbers: Vec<f32> = (0..300_001).map(|_| random.normal()).collect();
    for rung in &LADDER {
        if rung.kernel.name() == "reduce_atomic" {
            continue;
        }
        let runs: Vec<u32> =
            (0..5).map(|_| sum(&gpu, rung, &numbers).to_bits()).collect();
        let same = runs.iter().all(|run| *run == runs[0]);
        assert!(same, "{:?} {runs:x?}", rung.kernel);
    }
    // The engine's own sum is the third.
    let engine = Tensor::new(&gpu, &[numbers.len()], &numbers).unwrap();
    let engine = engine.sum().to_vec().unwrap()[0];
    assert_eq!(sum(&gpu, &LADDER[2], &numbers).to_bits(), engine.to_bits());
}

/// The same additions by other items.
#[test]
fn the_first_two_ways_have_the_same_bits() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(3);
    let numbers: Vec<f32> = (0..70_001).map(|_| random.normal()).collect();
    let [first, second] =
        [0, 1].map(|at| sum(&gpu, &LADDER[at], &numbers).to_bits());
    assert_eq!(first, second);
}

#[test]
fn a_room_that_is_too_small_is_refused() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&vec![1.0; 100_000]).unwrap();
    for rung in &LADDER {
        if rung.kernel.name() == "reduce_atomic" {
            continue;
        }
        // Of two numbers a group is left, of a hundred thousand many are.
        let mut room = rung.room(&gpu, 20_000).unwrap();
        if rung.kernel.name() != "reduce_last" {
            room = rung.room(&gpu, 2).unwrap();
        }
        let mut launches = rung.launches(&a, &room).into_iter();
        let refused = launches.next().expect("a launch").run();
        assert!(refused.is_err(), "{:?}", rung.kernel);
    }
}
