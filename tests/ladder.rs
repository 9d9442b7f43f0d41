//! The ladder of matrix products: every rung computes the same product, for
//! every shape.

use rungrad::part2_gpu::matmul::{KAHAN, LADDER, Rung, choose};
use rungrad::reference::{self, Array};
use rungrad::rng::Random;

use rungrad::opencl::Gpu;
use testkit::device::gpu_or_skip;

/// `(m, k) x (k, n)`: one of each, rows and columns alone, nothing to add up,
/// one more and one less than a tile, larger than any tile.
const SHAPES: [[usize; 3]; 15] = [
    [1, 1, 1],
    [1, 37, 1],
    [1, 5, 70],
    [70, 5, 1],
    [3, 0, 4],
    [5, 4, 3],
    [5, 4, 5],
    [15, 16, 17],
    [16, 17, 15],
    [64, 64, 64],
    [65, 63, 66],
    [127, 9, 129],
    [128, 40, 256],
    [131, 33, 261],
    [9, 777, 130],
];

/// Values between -1 and 1, different for each seed.
fn values(seed: u64, len: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| 2.0 * random.uniform() - 1.0).collect()
}

/// What a rung makes of two matrices. The result is full of NaN before, so
/// an element that no item writes is seen.
fn product(
    gpu: &Gpu,
    rung: &Rung,
    a: &[f32],
    b: &[f32],
    shape: [usize; 3],
) -> Vec<f32> {
    let upload = |values: &[f32]| match values {
        [] => gpu.upload(&[0.0]).unwrap(),
        _ => gpu.upload(values).unwrap(),
    };
    let out = gpu.upload(&vec![f32::NAN; shape[0] * shape[2]]).unwrap();
    rung.launch(&upload(a), &upload(b), &out, shape).run().unwrap();
    out.read().unwrap()
}

/// Each sum of `k` products is off by at most `k` roundings of the sum of
/// their magnitudes, in whatever order they are added.
///
/// Promise: Each kernel of the matmul ladder is right for every shape, with an
/// error of at most one rounding per product.
#[test]
fn every_rung_agrees_with_the_judge() {
    let Some(gpu) = gpu_or_skip() else { return };
    for rung in LADDER.iter().chain(&KAHAN) {
        for shape in SHAPES {
            let [m, k, n] = shape;
            let (a, b) = (values(1, m * k), values(2, k * n));
            let found = product(&gpu, rung, &a, &b, shape);
            let array = |rows, columns, values: &[f32]| {
                Array::new(&[rows, columns], values)
            };
            let magnitude = |values: &[f32]| -> Vec<f32> {
                values.iter().map(|value| value.abs()).collect()
            };
            let expected =
                reference::matmul(&array(m, k, &a), &array(k, n, &b));
            let scale = reference::matmul(
                &array(m, k, &magnitude(&a)),
                &array(k, n, &magnitude(&b)),
            );
            for (i, value) in found.iter().enumerate() {
                let off = (f64::from(*value) - expected.values[i]).abs();
                let bound = k as f64 * 2_f64.powi(-24) * scale.values[i];
                assert!(
                    off <= bound,
                    "{} of {shape:?}, element {i}: {value}, expected {}",
                    rung.kernel.name(),
                    expected.values[i]
                );
            }
        }
    }
}

/// Where rows of a are no whole fours and those of the result are: who reads
/// fours all the same takes the first numbers of the next row, and who writes
/// number by number has all of them to write.
#[test]
fn a_row_ends_where_the_next_begins() {
    let Some(gpu) = gpu_or_skip() else { return };
    for shape @ [m, k, n] in [[3, 134, 8], [3, 3, 8], [3, 5, 8]] {
        let mut a = vec![1.0; m * k];
        a[k] = f32::INFINITY;
        let right: Vec<f32> = (0..m * n)
            .map(|i| if i / n == 1 { f32::INFINITY } else { k as f32 })
            .collect();
        for rung in LADDER.iter().chain(&KAHAN) {
            let found = product(&gpu, rung, &a, &vec![1.0; k * n], shape);
            assert_eq!(found, right, "{:?} of {shape:?}", rung.kernel.name());
        }
    }
}

/// Each of the ones alone is rounded away beside 2^24.
#[test]
fn what_a_long_sum_rounds_away_is_given_to_the_next() {
    let Some(gpu) = gpu_or_skip() else { return };
    const BLOCKS: usize = 65;
    let k = 128 * BLOCKS;
    let mut a = vec![0.0; k];
    a.iter_mut().step_by(128).for_each(|x| *x = 1.0);
    a[0] = (1 << 24) as f32;
    for rung in &KAHAN {
        let found = product(&gpu, rung, &a, &vec![1.0; k], [1, k, 1]);
        let right = ((1 << 24) + BLOCKS - 1) as f32;
        assert_eq!(found, [right], "{:?}", rung.kernel.name());
    }
}

/// Promise: Each kernel of the matmul ladder gives the same bits in every run.
#[test]
fn every_rung_gives_the_same_bits_again() {
    let Some(gpu) = gpu_or_skip() else { return };
    let shape = [65, 63, 66];
    let (a, b) = (values(1, 65 * 63), values(2, 63 * 66));
    for rung in LADDER.iter().chain(&KAHAN) {
        let bits = |_| -> Vec<u32> {
            let out = product(&gpu, rung, &a, &b, shape);
            out.iter().map(|value| value.to_bits()).collect()
        };
        let runs: Vec<_> = (0..3).map(bits).collect();
        assert!(runs.iter().all(|run| *run == runs[0]), "{:?}", rung.kernel);
    }
}

/// Promise: Each kernel of the matmul ladder rejects a buffer that is too short
/// for its reach.
#[test]
fn a_buffer_that_is_too_short_is_refused() {
    let Some(gpu) = gpu_or_skip() else { return };
    let short = gpu.upload(&[1.0; 5]).unwrap();
    let long = gpu.upload(&[1.0; 6]).unwrap();
    let [few, out] = [3, 4].map(|len| gpu.upload(&vec![0.0; len]).unwrap());
    for rung in LADDER.iter().chain(&KAHAN) {
        let refused = rung.launch(&short, &long, &out, [2, 3, 2]).run();
        assert!(refused.is_err(), "{:?}", rung.kernel);
        // What the kernel says of itself, where the caller says nothing.
        for [a, b, out] in
            [[&short, &long, &out], [&long, &short, &out], [&long, &long, &few]]
        {
            let launch = gpu.launch(&rung.kernel).input(a).input(b);
            let launch = [2_u32, 3, 2]
                .into_iter()
                .fold(launch.output(out), |launch, n| launch.scalar(n));
            let refused = launch.global(rung.group).local(rung.group).run();
            let sentence = refused.expect_err(rung.kernel.name()).to_string();
            assert!(sentence.contains("would reach"), "{sentence}");
        }
    }
}

/// Of matrices without elements, which fit every buffer.
///
/// Promise: Sizes beyond the range of 31 bits are rejected.
#[test]
fn sizes_are_counted_up_to_31_bits() {
    let Some(gpu) = gpu_or_skip() else { return };
    let [a, out] = [0.0, 0.0].map(|value| gpu.upload(&[value]).unwrap());
    let most = i32::MAX as u32;
    for rung in LADDER.iter().chain(&KAHAN) {
        for (k, counted) in [(most, true), (most + 1, false)] {
            let launch = gpu.launch(&rung.kernel).input(&a).input(&a);
            let launch = launch.output(&out).scalar(0_u32).scalar(k);
            let launch = launch.scalar(0_u32).global(rung.group);
            let spare = launch.local(rung.group).unreached();
            assert_eq!(spare.is_ok(), counted, "{:?}", rung.kernel.name());
        }
    }
}

#[test]
fn a_large_tile_is_for_a_result_that_fills_the_device() {
    let name = |units, shape| choose(units, shape).kernel.name();
    for (units, shape, expected) in [
        (132, [2048, 64, 2048], "matmul8_tall"),
        (132, [2049, 64, 2049], "matmul7_ahead"),
        (132, [2048, 63, 2048], "matmul7_ahead"),
        (132, [1024, 64, 1024], "matmul7_ahead"),
        (132, [512, 64, 512], "matmul3_tiled"),
        (8, [128, 64, 128], "matmul7_ahead"),
        (9, [128, 64, 128], "matmul3_tiled"),
        (2, [100, 64, 10_000], "matmul3_tiled"),
        (2, [256, 64, 128], "matmul8_tall"),
        (0, [1, 1, 1], "matmul3_tiled"),
        (132, [2048, 128, 2048], "matmul8_tall"),
        (132, [2048, 132, 2048], "matmul_ahead_kahan"),
        (132, [512, 129, 512], "matmul_tiled_kahan"),
    ] {
        assert_eq!(name(units, shape), expected, "{units} {shape:?}");
    }
}

/// Returns the lines of a kernel's file that are no comments, under a common
/// name.
fn lines(text: &str, name: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with("//"));
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.replace(name, "matmul")).collect()
}

/// The book shows rungs 7 and 8 by what is not in the rung below.
///
/// Promise: Kernels 7 and 8 of the matmul ladder differ from the kernel before
/// them only by the lines that the book shows.
#[test]
fn the_upper_rungs_differ_in_nothing_but_what_the_book_shows() {
    let vector = include_str!("../kernels/part2/matmul6_vector.cl");
    let ahead = include_str!("../kernels/part2/matmul7_ahead.cl");
    let tall = include_str!("../kernels/part2/matmul8_tall.cl");
    // Rung 7 has its first loads before the loop, and the others in it
    // behind a barrier: the part that the book compares, line by line.
    let around = |text: &str, name: &str| {
        let (head, rest) = text.split_once("// ANCHOR: steps").unwrap();
        let (_, tail) = rest.split_once("// ANCHOR_END: steps").unwrap();
        [lines(head, name), lines(tail, name)]
    };
    assert_eq!(
        around(vector, "matmul6_vector"),
        around(ahead, "matmul7_ahead")
    );
    let shorter = ahead.replace("#define DOWN 16", "#define DOWN 8");
    assert_eq!(lines(&shorter, "matmul7_ahead"), lines(tall, "matmul8_tall"));
}
