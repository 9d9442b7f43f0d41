//! Matrix-vector products: both kernels compute the same product for every
//! shape.

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::matvec::{ROWS, TEAMS, Variant};
use rungrad::reference::{self, Array};
use rungrad::rng::Random;

use testkit::device::gpu_or_skip;

/// `(m, k) x (k)`: single elements, an empty sum, rows shorter than a row
/// group, one more and one less than a row group, and a number of rows that
/// does not fill the last work-group.
const SHAPES: [[usize; 2]; 12] = [
    [1, 1],
    [1, 37],
    [5, 0],
    [7, 31],
    [8, 32],
    [9, 33],
    [255, 3],
    [256, 100],
    [257, 100],
    [300, 64],
    [2, 1000],
    [1000, 129],
];

/// Values between -1 and 1, different for each seed.
fn values(seed: u64, len: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| 2.0 * random.uniform() - 1.0).collect()
}

/// Runs one kernel on a matrix and a vector. The output buffer is filled with
/// NaN first, so that a row without a write is noticed.
fn product(
    gpu: &Gpu,
    way: Variant,
    a: &[f32],
    v: &[f32],
    [m, k]: [usize; 2],
) -> Vec<f32> {
    let upload = |values: &[f32]| match values {
        [] => gpu.upload(&[0.0]).unwrap(),
        _ => gpu.upload(values).unwrap(),
    };
    let out = gpu.upload(&vec![f32::NAN; m]).unwrap();
    way.launch(&upload(a), &upload(v), &out, [m, k]).run().unwrap();
    out.read().unwrap()
}

/// The rounding error of a sum of `k` products is at most `k` roundings of the
/// sum of their magnitudes, in any order of addition.
///
/// Promise: Both matrix-vector kernels are right for every shape.
#[test]
fn both_kernels_agree_with_the_reference() {
    let Some(gpu) = gpu_or_skip() else { return };
    let magnitude = |values: &[f32]| -> Vec<f32> {
        values.iter().map(|value| value.abs()).collect()
    };
    for way in [ROWS, TEAMS] {
        for [m, k] in SHAPES {
            let (a, v) = (values(1, m * k), values(2, k));
            let found = product(&gpu, way, &a, &v, [m, k]);
            let judge = |a: &[f32], v: &[f32]| {
                let a = Array::new(&[m, k], a);
                reference::matmul(&a, &Array::new(&[k, 1], v)).values
            };
            let expected = judge(&a, &v);
            let scale = judge(&magnitude(&a), &magnitude(&v));
            for (row, value) in found.iter().enumerate() {
                let off = (f64::from(*value) - expected[row]).abs();
                let bound = k as f64 * 2_f64.powi(-24) * scale[row];
                assert!(
                    off <= bound,
                    "{} of {m} x {k}, row {row}: {value}, expected {}",
                    way.kernel.name(),
                    expected[row]
                );
            }
        }
    }
}

/// Promise: Both matrix-vector kernels give the same bits in every run.
#[test]
fn both_kernels_have_the_same_bits_in_every_run() {
    let Some(gpu) = gpu_or_skip() else { return };
    let shape = [257, 100];
    let (a, v) = (values(1, 257 * 100), values(2, 100));
    for way in [ROWS, TEAMS] {
        let bits = |_| -> Vec<u32> {
            let out = product(&gpu, way, &a, &v, shape);
            out.iter().map(|value| value.to_bits()).collect()
        };
        let runs: Vec<_> = (0..3).map(bits).collect();
        assert!(runs.iter().all(|run| *run == runs[0]), "{:?}", way.kernel);
    }
}

/// Promise: A matrix-vector kernel rejects a buffer that is too short for its
/// reach.
#[test]
fn short_buffers_are_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let [five, six] = [5, 6].map(|n| gpu.upload(&vec![1.0; n]).unwrap());
    let [two, few, three] =
        [2, 2, 3].map(|n| gpu.upload(&vec![1.0; n]).unwrap());
    for way in [ROWS, TEAMS] {
        for (a, v, out) in
            [(&five, &three, &few), (&six, &two, &few), (&six, &three, &few)]
        {
            let refused = way.launch(a, v, out, [2, 3]).run().is_err();
            let fits = a.len() == 6 && v.len() == 3;
            assert_eq!(refused, !fits, "{:?}", way.kernel);
        }
        let short_out = way.launch(&six, &two, &few, [3, 2]).run();
        assert!(short_out.is_err(), "{:?}", way.kernel);
    }
}

/// A size product that wraps around to a small number must not pass the check
/// against a small buffer.
#[test]
fn sizes_whose_product_overflows_are_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let [one, out] = [1.0, 0.0].map(|x| gpu.upload(&[x]).unwrap());
    for way in [ROWS, TEAMS] {
        for shape in [[1 << 16, 1 << 16], [1, 1 << 31]] {
            let refused = way.launch(&one, &one, &out, shape).run();
            assert!(refused.is_err(), "{:?} of {shape:?}", way.kernel);
        }
    }
}
