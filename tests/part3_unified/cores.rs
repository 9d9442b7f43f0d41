//! Products on tensor cores, which few devices have: that they are taken, that
//! they agree with products in `f64`, and that one word does without them.

use rungrad::engine::kernels::{TILES, Tiles};
use rungrad::engine::tuning::with_tiles;
use rungrad::opencl::record;
use rungrad::rng::Random;

use super::products::{compare, matrix, product};
use testkit::child::{is_child, succeed, untuned};
use testkit::clean;
use testkit::device::{gpu_or_skip, skip_by_name};

/// The products of every layout by these tiles. Those that need no such cores
/// are compared kernel by kernel in `tests/opencl`.
fn compare_all_layouts(tiles: &'static Tiles) {
    let mut random = Random::new(9);
    let [m, n] = tiles.sides.map(|side| side + 4);
    for [m, k, n] in [[m, 140, n], [m - 1, 139, n - 3]] {
        for lies in [[true, true], [true, false], [false, true], [false, false]]
        {
            let (a, x) = matrix([m, k], lies[0], 0, &mut random);
            let (b, y) = matrix([k, n], lies[1], 0, &mut random);
            let found = with_tiles(tiles, || a.matmul(&b));
            let what =
                format!("{}: {m} x {k} x {n}, by rows {lies:?}", tiles.name);
            compare(&what, &found, &product(&x, &y, [m, k, n]));
        }
    }
}

#[test]
fn products_on_tensor_cores_agree_with_the_judge() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    for tiles in TILES.iter().filter(|tiles| tiles.on_cores.is_some()) {
        assert!(tiles.fit(gpu.info()), "{} on {}", tiles.name, gpu.name());
        compare_all_layouts(tiles);
    }
}

/// The names of the kernels of a product, and how far the worst of some of its
/// elements is from that in `f64`, as a part of the sum of the magnitudes.
fn names_and_error([m, k, n]: [usize; 3], by_rows: bool) -> (Vec<String>, f64) {
    let mut random = Random::new(17);
    let (a, x) = matrix([m, k], by_rows, 0, &mut random);
    let (b, y) = matrix([k, n], true, 4, &mut random);
    let (found, line) = record(|| a.matmul(&b)).unwrap();
    let names = line.slices.iter().map(|it| it.name.to_string()).collect();
    let (found, mut worst) = (found.to_vec().unwrap(), 0.0_f64);
    for _ in 0..300 {
        let (i, j) = (random.below(m), random.below(n));
        let column: Vec<f32> = (0..k).map(|l| y[l * n + j]).collect();
        let row = &x[i * k..(i + 1) * k];
        let (right, size) = product(row, &column, [1, k, 1])[0];
        let it = f64::from(found[i * n + j]);
        worst = worst.max((it - right).abs() / size);
    }
    (names, worst)
}

/// Odd sides have no fours, and what lies across `k` suits the cores less: both
/// are copied first where a product is large.
#[test]
fn large_products_are_packed_for_tensor_cores() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    // Tiles that were timed here may be others.
    if !is_child() {
        let test = "large_products_are_packed_for_tensor_cores";
        succeed(&mut untuned(&format!("cores::{test}")));
        return;
    }
    let product = match gpu.info().warpgroups {
        true => "product_warpgroups",
        false => "product_tensor_cores",
    };
    let copy = "copy_lines";
    for (sizes, right) in [
        ([2049, 2050, 2051], vec![copy, copy, product]),
        ([2048; 3], vec![copy, product]),
    ] {
        let (names, error) = names_and_error(sizes, true);
        let kernels: Vec<&str> = names
            .iter()
            .map(|name| &**name)
            .filter(|name| [copy, product].contains(name))
            .collect();
        assert_eq!(kernels, right, "{sizes:?}");
        assert!(error <= 1e-6, "{sizes:?}: {error:e}");
    }
}

/// What comes back to the weights of a layer is summed over all rows of a
/// batch, and both operands lie across that sum: they are copied first.
#[test]
fn gradients_of_weights_are_packed_for_tensor_cores() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    if !is_child() {
        let test = "gradients_of_weights_are_packed_for_tensor_cores";
        succeed(&mut untuned(&format!("cores::{test}")));
        return;
    }
    for sizes in [[384, 4096, 320], [257, 2051, 1000]] {
        let (names, error) = names_and_error(sizes, false);
        let copies = names.iter().filter(|it| *it == "copy_lines").count();
        assert_eq!(copies, 2, "{sizes:?}: {names:?}");
        assert!(!names.iter().any(|it| it == "product"), "{names:?}");
        assert!(error <= 1e-6, "{sizes:?}: {error:e}");
    }
}

/// One that is large enough for the cores, and that they would want copied.
///
/// Promise: `RUNGRAD_TENSOR_CORES=off` runs every matmul without tensor cores.
#[test]
fn a_word_does_without_tensor_cores() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    // The word is read once in a process.
    if !is_child() {
        let mut child = untuned("cores::a_word_does_without_tensor_cores");
        succeed(child.env("RUNGRAD_TENSOR_CORES", "off"));
        return;
    }
    let (names, error) = names_and_error([2049, 2050, 2051], true);
    for kernel in ["product_tensor_cores", "product_warpgroups", "copy_lines"] {
        assert!(names.iter().all(|name| name != kernel), "{names:?}");
    }
    assert!(names.iter().any(|name| name == "product"), "{names:?}");
    assert!(error <= 1e-6, "{error:e}");
}

#[test]
fn products_by_warpgroups_agree_with_the_judge() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().warpgroups {
        return skip_by_name("device with warpgroups");
    }
    let tiles = TILES.iter().find(|tiles| tiles.are_packed()).unwrap();
    let mut random = Random::new(21);
    // One tile and less; several, and parts of one; a chain and its end; parts
    // along k; more rows of tiles than are computed together.
    for [m, k, n] in [
        [64, 64, 128],
        [63, 68, 127],
        [1, 4, 2],
        [130, 140, 260],
        [65, 1000, 129],
        [100, 30_000, 100],
        [1100, 68, 300],
    ] {
        let (a, x) = matrix([m, k], true, 0, &mut random);
        let (b, y) = matrix([k, n], false, 4, &mut random);
        let (found, line) =
            record(|| with_tiles(tiles, || a.matmul(&b))).unwrap();
        let is_used =
            line.slices.iter().any(|it| &*it.name == "product_warpgroups");
        assert!(is_used || m == 1, "{m} x {k} x {n}");
        let what = format!("{m} x {k} x {n} by warpgroups");
        compare(&what, &found, &product(&x, &y, [m, k, n]));
    }
}
