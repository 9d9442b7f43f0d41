//! The matmul ladder: every kernel computes the same product for every shape.

use rungrad::part2_gpu::matmul::{KAHAN, MATMUL_LADDER, MatmulRung, choose};
use rungrad::reference::{self, Array};
use rungrad::rng::Random;

use rungrad::opencl::Gpu;
use testkit::device::gpu_or_skip;

/// `(m, k) x (k, n)`: single elements, single rows and columns, an empty sum,
/// one more and one less than a tile, and sizes larger than every tile.
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

/// Runs one kernel of the ladder on two matrices. The output buffer is filled
/// with NaN first, so that an element without a write is noticed.
fn product(
    gpu: &Gpu,
    rung: &MatmulRung,
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

/// The rounding error of a sum of `k` products is at most `k` roundings of the
/// sum of their magnitudes, in any order of addition.
///
/// Promise: Each kernel of the matmul ladder is right for every shape, with an
/// error of at most one rounding per product.
#[test]
fn every_rung_agrees_with_the_reference() {
    let Some(gpu) = gpu_or_skip() else { return };
    for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
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

/// The row lengths of `a` and of the result are not multiples of four: a
/// kernel that loads `float4` past the end of a row would read elements of the
/// next row, and a kernel that stores single elements must store all of them.
#[test]
fn rungs_do_not_read_past_the_end_of_a_row() {
    let Some(gpu) = gpu_or_skip() else { return };
    for shape @ [m, k, n] in [[3, 134, 8], [3, 3, 8], [3, 5, 8]] {
        let mut a = vec![1.0; m * k];
        a[k] = f32::INFINITY;
        let right: Vec<f32> = (0..m * n)
            .map(|i| if i / n == 1 { f32::INFINITY } else { k as f32 })
            .collect();
        for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
            let found = product(&gpu, rung, &a, &vec![1.0; k * n], shape);
            assert_eq!(found, right, "{:?} of {shape:?}", rung.kernel.name());
        }
    }
}

/// Next to 2^24, each single 1 is rounded away.
#[test]
fn kahan_rungs_carry_the_rounding_error() {
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
fn every_rung_has_the_same_bits_in_every_run() {
    let Some(gpu) = gpu_or_skip() else { return };
    let shape = [65, 63, 66];
    let (a, b) = (values(1, 65 * 63), values(2, 63 * 66));
    for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
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
fn short_buffers_are_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let short = gpu.upload(&[1.0; 5]).unwrap();
    let long = gpu.upload(&[1.0; 6]).unwrap();
    let [few, out] = [3, 4].map(|len| gpu.upload(&vec![0.0; len]).unwrap());
    for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
        let refused = rung.launch(&short, &long, &out, [2, 3, 2]).run();
        assert!(refused.is_err(), "{:?}", rung.kernel);
        // The kernel's own reach check, when the caller checks nothing.
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

/// The matrices have no elements, so they fit in every buffer.
///
/// Promise: Sizes beyond the range of 31 bits are rejected.
#[test]
fn sizes_above_31_bits_are_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let [a, out] = [0.0, 0.0].map(|value| gpu.upload(&[value]).unwrap());
    let most = i32::MAX as u32;
    for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
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
fn large_tiles_require_a_result_that_fills_the_device() {
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

/// Returns the lines of a kernel's file without comments and empty lines, with
/// the kernel's name replaced by a common one.
fn lines(text: &str, name: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with("//"));
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.replace(name, "matmul")).collect()
}

/// The book shows rungs 7 and 8 as a diff from the rung below.
///
/// Promise: Kernels 7 and 8 of the matmul ladder differ from the kernel before
/// them only by the lines that the book shows.
#[test]
fn rungs_7_and_8_differ_only_by_the_lines_in_the_book() {
    let vector = include_str!("../kernels/part2/matmul6_vector.cl");
    let ahead = include_str!("../kernels/part2/matmul7_ahead.cl");
    let tall = include_str!("../kernels/part2/matmul8_tall.cl");
    // Rung 7 issues its first loads before the loop and the others after a
    // barrier inside it. The book compares that region line by line.
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
