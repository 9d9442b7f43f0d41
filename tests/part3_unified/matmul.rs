//! Matmuls on a device: each operand layout uses its own kernel, and all
//! kernels agree with `f64` matmuls.

use rungrad::engine::kernels::{Layout, TILES, Tiles};
use rungrad::engine::tuning::with_tiles;
use rungrad::ledger;
use rungrad::opencl::record;
use rungrad::part3_unified::{Device, Span, Tensor, Window};
use rungrad::rng::Random;

use testkit::child::{is_child, optimized, succeed, untuned};
use testkit::clean;
use testkit::device::gpu_or_skip;

/// Returns an (m, n) matrix that is stored in row-major or column-major order
/// from an offset on, and its elements in row-major order.
pub(super) fn matrix(
    [m, n]: [usize; 2],
    by_rows: bool,
    offset: usize,
    random: &mut Random,
) -> (Tensor, Vec<f32>) {
    let mut memory = vec![f32::NAN; offset];
    memory.extend((0..m * n).map(|_| random.uniform() - 0.5));
    let all = Tensor::new(&[memory.len()], &memory, Device::Gpu(0)).unwrap();
    let used = all.slice(&[offset..memory.len()]);
    let matrix = match by_rows {
        true => used.reshape(&[m, n]),
        false => used.reshape(&[n, m]).transpose(),
    };
    let values = matrix.to_vec().unwrap();
    (matrix, values)
}

pub(super) fn compare(what: &str, found: &Tensor, right: &[(f64, f64)]) {
    let found = found.to_vec().unwrap();
    assert_eq!(found.len(), right.len(), "{what}");
    for (i, (found, (right, size))) in found.iter().zip(right).enumerate() {
        let error = (f64::from(*found) - right).abs();
        assert!(
            error <= 1e-6 * size + 1e-30,
            "{what}: element {i} is {found}, and should be {right}"
        );
    }
}

/// Returns the product in `f64`, and the sum of the magnitudes, for each
/// element.
pub(super) fn product(
    a: &[f32],
    b: &[f32],
    [m, k, n]: [usize; 3],
) -> Vec<(f64, f64)> {
    let element = |at: usize| {
        let products = (0..k).map(|l| {
            f64::from(a[at / n * k + l]) * f64::from(b[l * n + at % n])
        });
        products.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
    };
    (0..m * n).map(element).collect()
}

#[test]
#[ignore = "slow: 46 s, each tile in each layout"]
fn matmuls_of_every_layout_agree_with_the_reference() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    // The shapes are chosen for the default tiles.
    if !is_child() {
        let test = "matmuls_of_every_layout_agree_with_the_reference";
        let mut child = untuned(&format!("matmul::{test}"));
        succeed(optimized(&mut child));
        return;
    }
    let mut random = Random::new(7);
    // Each pair of layouts needs a separate kernel for each tile size, and
    // PoCL takes two seconds to compile one. So the first shapes, for which a
    // CPU device has the largest tiles, are tested in all layouts, and the
    // shapes for the other tiles in one layout: `tests/opencl` compares every
    // kernel by itself.
    let layouts = [[true, true], [true, false], [false, true], [false, false]];
    for ([m, k, n], layouts) in [
        // Large tiles, divisible by four and not; medium tiles; small tiles.
        ([260, 68, 264], &layouts[..]),
        ([259, 67, 261], &layouts),
        ([100, 36, 72], &layouts[1..2]),
        ([40, 20, 44], &layouts[2..3]),
        ([5, 3, 7], &layouts[2..3]),
        // Split along k, by tiles and by rows; a row, a column, a single
        // element.
        ([9, 3000, 10], &layouts),
        ([8, 17000, 8], &layouts),
        ([300, 5000, 1], &layouts),
        ([1, 5000, 300], &layouts),
        ([1, 40000, 1], &layouts),
        ([1000, 1, 1], &layouts),
        ([1, 1, 300], &layouts),
    ] {
        for lies in layouts {
            for offset in [0, 4, 3] {
                let (a, x) = matrix([m, k], lies[0], offset, &mut random);
                let (b, y) = matrix([k, n], lies[1], offset, &mut random);
                let found = a.matmul(&b);
                let what =
                    format!("{m} x {k} x {n}, by rows {lies:?}, from {offset}");
                compare(&what, &found, &product(&x, &y, [m, k, n]));
                let again = a.matmul(&b).to_vec().unwrap();
                assert!(found.to_vec().unwrap() == again, "{what}: other bits");
            }
        }
    }
}

#[test]
fn a_batch_of_matmuls_agrees_with_the_reference() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let (batch, [m, k, n]) = (3, [33, 20, 36]);
    let values = |seed, len| {
        let mut random = Random::new(seed);
        (0..len).map(|_| random.uniform() - 0.5).collect::<Vec<f32>>()
    };
    let (x, y) = (values(1, batch * m * k), values(2, k * n));
    let a = Tensor::new(&[batch, m, k], &x, Device::Gpu(0)).unwrap();
    let b = Tensor::new(&[k, n], &y, Device::Gpu(0)).unwrap();
    // Each matrix of the batch with the same second operand, and with a column.
    let right: Vec<_> =
        x.chunks(m * k).flat_map(|x| product(x, &y, [m, k, n])).collect();
    compare("a batch", &a.matmul(&b.expand(&[batch, k, n])), &right);
    let column = b.slice((.., ..1));
    let y: Vec<f32> = y.iter().step_by(n).copied().collect();
    let right: Vec<_> =
        x.chunks(m * k).flat_map(|x| product(x, &y, [m, k, 1])).collect();
    compare("columns", &a.matmul(&column.expand(&[batch, k, 1])), &right);
}

/// The gradient of a filter: each of its elements is a sum over all positions.
#[test]
fn long_sums_of_few_elements_use_a_group_per_element() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let (side, mut random) = (133, Random::new(18));
    let mut numbers = |n: usize| -> Vec<f32> {
        (0..n).map(|_| random.uniform() - 0.5).collect()
    };
    let (image, grads) = (numbers(side * side), numbers(9 * 131 * 131));
    let new = |shape: &[usize], values: &[f32]| {
        Tensor::new(shape, values, Device::Gpu(0)).unwrap()
    };
    let (x, g) = (new(&[side, side], &image), new(&[9, 131, 131], &grads));
    // (3, 3, 131, 131)
    let windows = x.windows(&Window::new([3, 3])).permute(&[2, 3, 0, 1]);
    let (found, line) = record(|| g.contract(&windows, 0, 2)).unwrap();
    let names: Vec<&str> = line.slices.iter().map(|it| &*it.name).collect();
    assert!(names.contains(&"product_long_sums"), "{names:?}");
    let right = (0..81).map(|at| {
        let (filter, down, right) = (at / 9, at / 3 % 3, at % 3);
        let products = (0..131 * 131).map(|l| {
            let seen = image[(l / 131 + down) * side + l % 131 + right];
            f64::from(grads[filter * 131 * 131 + l]) * f64::from(seen)
        });
        products.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
    });
    compare("long sums", &found, &right.collect::<Vec<_>>());
}

/// Returns tiles that use `float4` loads and run on every device.
fn float4_tiles() -> &'static Tiles {
    let has_fours = |it: &&Tiles| {
        it.on_cores.is_none() && it.layouts.contains(&Layout::Fours)
    };
    TILES.iter().rfind(has_fours).expect("there are some")
}

/// Elements that are not adjacent must not be loaded as a `float4`, even if
/// all of them begin at multiples of four.
#[test]
fn matmuls_of_every_other_column_agree_with_the_reference() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let [m, k, n] = [12, 8, 16];
    let mut random = Random::new(11);
    let mut thin = |rows: usize, columns: usize| {
        let (whole, _) = matrix([rows, 2 * columns], true, 0, &mut random);
        let thin = whole.slice((.., Span::from(..).step(2)));
        let values = thin.to_vec().unwrap();
        (thin, values)
    };
    let ((a, x), (b, y)) = (thin(m, k), thin(k, n));
    let found = with_tiles(float4_tiles(), || a.matmul(&b));
    compare("every other column", &found, &product(&x, &y, [m, k, n]));
}

/// (4, 8) x (8, 12) in row-major order, and each reason why a `float4` is not
/// aligned.
#[test]
fn misaligned_float4_operands_are_rejected() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let tiles = float4_tiles();
    let kernel = tiles.kernel(Layout::Fours, [true, true]).expect("fours");
    let buffer = gpu.upload(&[0.0; 256]).unwrap();
    let fits = |[a_from, b_from]: [u32; 2], a: [i32; 8], b: [i32; 8], k, n| {
        let launch = gpu
            .launch(kernel)
            .input(&buffer)
            .scalar(a_from)
            .scalar(a)
            .input(&buffer)
            .scalar(b_from)
            .scalar(b)
            .scalar([1, 4, 1, n, 1, k, 1, 8])
            .output(&buffer)
            .scalar(4_i32)
            .scalar(k)
            .scalar(n);
        let launch = launch.global([tiles.items, 1, 1]);
        launch.local([tiles.items, 1, 1]).unreached().is_ok()
    };
    let (a, b) = ([0, 0, 8, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 12, 0, 0]);
    assert!(fits([4, 8], a, b, 8, 12));
    assert!(!fits([1, 8], a, b, 8, 12), "a begins between two fours");
    assert!(!fits([4, 2], a, b, 8, 12), "b does");
    assert!(!fits([4, 8], a, b, 6, 12), "rows of a end between two");
    assert!(!fits([4, 8], a, b, 8, 10), "rows of b do");
    for (axis, step) in [(2, 9), (5, 2), (6, 2)] {
        let mut a = a;
        a[axis] = step;
        assert!(!fits([4, 8], a, b, 8, 12), "a steps by {step}");
    }
    for (axis, step) in [(5, 13), (2, 2), (6, 2)] {
        let mut b = b;
        b[axis] = step;
        assert!(!fits([4, 8], a, b, 8, 12), "b steps by {step}");
    }
}

/// A single group would leave the other compute units idle.
#[test]
fn a_long_matmul_of_few_elements_is_split_along_k() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // The split depends on the tiles.
    if !is_child() {
        let test = "a_long_matmul_of_few_elements_is_split_along_k";
        succeed(&mut untuned(&format!("matmul::{test}")));
        return;
    }
    let new = |shape: &[usize]| Tensor::rand(shape, 1, Device::Gpu(0)).unwrap();
    let (a, b) = (new(&[2, 4096]), new(&[4096, 2]));
    let (_, counts) = ledger::measure(|| a.matmul(&b));
    // The partial matmuls, and their sum.
    let launches = if gpu.info().compute_units > 1 { 2 } else { 1 };
    assert_eq!(counts.launches, launches, "{counts:?}");
}

/// Tensor cores compute a value as a sum of parts, which an infinity does not
/// have; rounding a large value can give an infinity.
#[test]
fn infinities_and_large_values_pass_through_matmul() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // Sizes divisible by four and both operands contiguous along k, which all
    // tiles support.
    let n = 72;
    let ones = Tensor::full(&[n, n], 1.0, Device::Gpu(0)).unwrap().transpose();
    for tiles in TILES.iter().filter(|tiles| tiles.fit(gpu.info())) {
        for large in [f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            let mut values = vec![0.0; n * n];
            values[3] = large;
            values[5 * n + 2] = f32::NAN;
            let a = Tensor::new(&[n, n], &values, Device::Gpu(0)).unwrap();
            let found = with_tiles(tiles, || a.matmul(&ones)).to_vec().unwrap();
            for (i, found) in found.iter().enumerate() {
                let right = match i / n {
                    0 => large,
                    5 => f32::NAN,
                    _ => 0.0,
                };
                assert!(
                    found.to_bits() == right.to_bits()
                        || found.is_nan() && right.is_nan(),
                    "{}: element {i} is {found}, and should be {right}",
                    tiles.name
                );
            }
        }
    }
}

#[test]
fn packed_tiles_need_both_operands_contiguous_along_k() {
    let _clean = clean();
    let tiles = TILES.iter().find(|it| it.are_packed()).expect("they exist");
    let layouts = [[true, false], [false, true], [true, true], [false, false]];
    let taken = |layout| layouts.map(|lie| tiles.kernel(layout, lie).is_some());
    assert_eq!(taken(Layout::Fours), [true, false, false, false]);
    assert_eq!(taken(Layout::Matrices), [false; 4]);
    assert_eq!(taken(Layout::Views), [false; 4]);
}
