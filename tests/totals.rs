//! Sums of all elements: the six kernels give the same sum for every number of
//! elements, and all but the atomic one give the same bits in every run.

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::part2_gpu::totals::{SUM_METHODS, SumMethod};
use rungrad::rng::Random;

use testkit::device::gpu_or_skip;

/// A single element, less than a warp, one less and one more than a
/// work-group, the same for the group of a group's sums and for the elements
/// of one group whose items each add several; and more elements than all
/// work-groups have items.
const SIZES: [usize; 13] = [
    1, 31, 255, 256, 257, 4095, 4097, 65_535, 65_536, 65_537, 100_000, 300_001,
    5_000_000,
];

/// Runs one of the sum kernels. The output is filled with NaN first.
fn sum(gpu: &Gpu, method: &SumMethod, numbers: &[f32]) -> f32 {
    let a = gpu.upload(numbers).unwrap();
    let buffers = method.buffers(gpu, numbers.len()).unwrap();
    // Two runs: the second must not see anything from the first.
    for _ in 0..2 {
        buffers.total().write(&[f32::NAN]).unwrap();
        for launch in method.launches(&a, &buffers) {
            launch.run().unwrap();
        }
    }
    buffers.total().read().unwrap()[0]
}

/// Small integers, whose sums are exact: one element too many or too few
/// changes the sum.
///
/// Promise: All six sum kernels give the exact sum of whole numbers, for every
/// number of elements.
#[test]
fn every_kernel_sums_integers_exactly() {
    let Some(gpu) = gpu_or_skip() else { return };
    for n in SIZES {
        let numbers: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 1.0).collect();
        let exact: f64 = numbers.iter().map(|x| f64::from(*x)).sum();
        for method in &SUM_METHODS {
            let found = sum(&gpu, method, &numbers);
            let name = method.kernel.name();
            assert_eq!(f64::from(found), exact, "{name} of {n}");
        }
    }
}

/// Each item adds at most about 16 elements in sequence, and no result of the
/// tree has more than 40 roundings.
///
/// Promise: All six sum kernels err by only a few roundings.
#[test]
fn every_kernel_errs_by_few_roundings() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(17);
    let n = 1_000_003;
    let numbers: Vec<f32> = (0..n).map(|_| random.uniform()).collect();
    let exact: f64 = numbers.iter().map(|x| f64::from(*x)).sum();
    for method in &SUM_METHODS {
        let off =
            (f64::from(sum(&gpu, method, &numbers)) - exact).abs() / exact;
        assert!(off <= 40.0 * 2_f64.powi(-24), "{:?} {off:e}", method.kernel);
    }
}

/// All but the atomic kernel, whose work-groups finish in a different order
/// each time. A device that runs one group at a time cannot show that.
///
/// Promise: All sum kernels except the atomic one give the same bits in every
/// run.
#[test]
fn all_but_the_atomic_kernel_are_bitwise_reproducible() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(17);
    let numbers: Vec<f32> = (0..300_001).map(|_| random.normal()).collect();
    for method in &SUM_METHODS {
        if method.kernel.name() == "reduce_atomic" {
            continue;
        }
        let runs: Vec<u32> =
            (0..5).map(|_| sum(&gpu, method, &numbers).to_bits()).collect();
        let same = runs.iter().all(|run| *run == runs[0]);
        assert!(same, "{:?} {runs:x?}", method.kernel);
    }
    // The engine's own sum is the third kernel of the ladder.
    let engine = Tensor::new(&gpu, &[numbers.len()], &numbers).unwrap();
    let engine = engine.sum().to_vec().unwrap()[0];
    assert_eq!(
        sum(&gpu, &SUM_METHODS[2], &numbers).to_bits(),
        engine.to_bits()
    );
}

/// The same additions, done by different work-items.
#[test]
fn the_first_two_kernels_have_the_same_bits() {
    let Some(gpu) = gpu_or_skip() else { return };
    let mut random = Random::new(3);
    let numbers: Vec<f32> = (0..70_001).map(|_| random.normal()).collect();
    let [first, second] =
        [0, 1].map(|at| sum(&gpu, &SUM_METHODS[at], &numbers).to_bits());
    assert_eq!(first, second);
}

#[test]
fn scratch_space_that_is_too_small_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&vec![1.0; 100_000]).unwrap();
    for method in &SUM_METHODS {
        if method.kernel.name() == "reduce_atomic" {
            continue;
        }
        // Two elements leave one partial sum; a hundred thousand leave many.
        let mut buffers = method.buffers(&gpu, 20_000).unwrap();
        if method.kernel.name() != "reduce_last" {
            buffers = method.buffers(&gpu, 2).unwrap();
        }
        let mut launches = method.launches(&a, &buffers).into_iter();
        let refused = launches.next().expect("a launch").run();
        assert!(refused.is_err(), "{:?}", method.kernel);
    }
}
