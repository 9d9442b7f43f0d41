//! Matmuls on tensor cores, which few devices have: they are used, they agree
//! with `f64` matmuls, and an environment variable disables them.

use rungrad::engine::kernels::{TILES, Tiles};
use rungrad::engine::tuning::with_tiles;
use rungrad::opencl::record;
use rungrad::rng::Random;

use super::matmul::{compare, matrix, product};
use testkit::child::{is_child, succeed, untuned};
use testkit::clean;
use testkit::device::{gpu_or_skip, skip_by_name};

/// Compares matmuls of every operand layout with these tiles. Kernels that
/// need no tensor cores are compared one by one in `tests/opencl`.
fn compare_all_layouts(tiles: &'static Tiles) {
    let mut random = Random::new(9);
    let [m, n] = tiles.sides.map(|side| side + 4);
    for [m, k, n] in [[m, 140, n], [m - 1, 139, n - 3]] {
        for by_rows in
            [[true, true], [true, false], [false, true], [false, false]]
        {
            let (a, x) = matrix([m, k], by_rows[0], 0, &mut random);
            let (b, y) = matrix([k, n], by_rows[1], 0, &mut random);
            let found = with_tiles(tiles, || a.matmul(&b));
            let what =
                format!("{}: {m} x {k} x {n}, by rows {by_rows:?}", tiles.name);
            compare(&what, &found, &product(&x, &y, [m, k, n]));
        }
    }
}

#[test]
fn tensor_core_matmuls_agree_with_the_reference() {
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

/// Returns the kernel names of a matmul, and the largest error of some
/// elements relative to the sum of the magnitudes, computed in `f64`.
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

/// Odd row lengths do not allow `float4` loads, and operands that are
/// transposed along `k` suit tensor cores less: large matmuls copy both first.
#[test]
fn large_matmuls_are_packed_for_tensor_cores() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    // A child without the tuned tiles of this machine.
    if !is_child() {
        let test = "large_matmuls_are_packed_for_tensor_cores";
        succeed(&mut untuned(&format!("tensor_cores::{test}")));
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

/// The gradient of a layer's weights sums over all rows of a batch, and
/// neither operand is contiguous along that sum: both are copied first.
#[test]
fn weight_gradients_are_packed_for_tensor_cores() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    if !is_child() {
        let test = "weight_gradients_are_packed_for_tensor_cores";
        succeed(&mut untuned(&format!("tensor_cores::{test}")));
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

/// The matmul is large enough for tensor cores and would be packed for them.
///
/// Promise: `RUNGRAD_TENSOR_CORES=off` runs every matmul without tensor cores.
#[test]
fn tensor_cores_can_be_disabled_by_env() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().tensor_cores {
        return skip_by_name("device with tensor cores");
    }
    // The variable is read once per process.
    if !is_child() {
        let mut child =
            untuned("tensor_cores::tensor_cores_can_be_disabled_by_env");
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
fn warpgroup_matmuls_agree_with_the_reference() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().warpgroups {
        return skip_by_name("device with warpgroups");
    }
    let tiles = TILES.iter().find(|tiles| tiles.are_packed()).unwrap();
    let mut random = Random::new(21);
    // One tile and less; several tiles and partial ones; a pipeline and its
    // end; splits along k; more rows of tiles than are computed together.
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
