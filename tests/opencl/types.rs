//! Part 3's kernels for `f64` and `f16`: operations that reach every kernel
//! source, on sizes that fill no group, compared with the CPU.

use std::collections::BTreeSet;

use rungrad::opencl::{Kernel, record};
use rungrad::part3_unified::{
    AdamStep, Array, DType, Device, Keep, Tensor, Window, no_grad,
};
use rungrad::{ConvOptions, engine::kernels};

use super::families::WITHOUT_OPTIMIZER;
use super::oclgrind::{findings, simulator};
use testkit::child::{is_child, rerun_without_optimizer};
use testkit::device::gpu_or_skip;

/// Promise: The kernels for `f64` and `f16` compute what the CPU computes.
#[test]
fn f64_and_f16_kernels_agree_with_the_cpu() {
    let name = "types::f64_and_f16_kernels_agree_with_the_cpu";
    if let Some(gpu) = gpu_or_skip()
        && !rerun_without_optimizer(name)
    {
        agree(Device::Gpu(gpu.info().index), &[1, 6, 259]);
    }
}

/// Oclgrind checks each read and write of the same operations.
///
/// Promise: Oclgrind reports nothing in the kernels for `f64` and `f16`.
#[test]
#[ignore = "slow: 61 s, the kernels of two types in Oclgrind"]
fn f64_and_f16_kernels_are_clean_in_oclgrind() {
    if is_child() {
        return agree(Device::Gpu(simulator().info().index), &[6]);
    }
    let name = "types::f64_and_f16_kernels_are_clean_in_oclgrind";
    if let Some(found) = findings(name, WITHOUT_OPTIMIZER) {
        assert!(found.is_empty(), "{found}");
    }
}

/// After the host has written part of a buffer, Oclgrind 21 forgets what a
/// kernel writes past that part: here it reports two elements whose values are
/// right. So `numbers` gives no buffer that the host wrote back to the pool.
///
/// Promise: The one false alarm of Oclgrind is reproduced by a test.
#[test]
fn oclgrind_misreports_a_buffer_partly_written_by_the_host() {
    const N: usize = 20;
    if is_child() {
        let device = Device::Gpu(simulator().info().index);
        let drawn = |device| Array::uniform(&[N], 7, device).unwrap();
        let right = drawn(Device::Cpu).to_vec().unwrap();
        let copied = |drawn: Array| Tensor::from(drawn).scale(1.0);
        assert_eq!(copied(drawn(device)).to_vec().unwrap(), right);
        // A shorter array that the pool returns from the same size class.
        drop(Array::new(&[N - 2], &[0.5; N - 2], device).unwrap());
        assert_eq!(copied(drawn(device)).to_vec().unwrap(), right);
        return;
    }
    let name = "types::\
                oclgrind_misreports_a_buffer_partly_written_by_the_host";
    if let Some(found) = findings(name, WITHOUT_OPTIMIZER) {
        let alarms = found.matches("ninitialized value").count();
        assert_eq!(alarms, 1, "the kernel for all {N} says so: {found}");
    }
}

/// Every kernel source of Part 3 is reached, except those for tensor cores.
/// The attention kernels for long sequences do not exist for `f64`.
///
/// Promise: The tests of element types reach every kernel source of Part 3.
#[test]
fn every_kernel_source_is_reached() {
    let Some(gpu) = gpu_or_skip() else { return };
    if rerun_without_optimizer("types::every_kernel_source_is_reached") {
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let both = || (all(1500, DType::F64, device), all(6, DType::F16, device));
    let (_, timeline) = record(both).unwrap();
    let reached = |kernel: &Kernel| {
        timeline.slices.iter().any(|slice| slice.name == kernel.name())
    };
    let mut missing = BTreeSet::new();
    for kernel in kernels::all() {
        let others = kernels::all().filter(|it| it.file() == kernel.file());
        if !others.into_iter().any(reached) {
            missing.insert(kernel.file().trim_start_matches("kernels/engine/"));
        }
    }
    let needs_cores = ["pack.cl", "tensor_cores.cl", "warpgroups.cl"];
    missing.retain(|file| !needs_cores.contains(file));
    assert!(missing.is_empty(), "{missing:?}");
}

/// Checks that each operation has the same result on a device as on the CPU,
/// up to rounding.
fn agree(device: Device, sizes: &[usize]) {
    for dtype in [DType::F64, DType::F16] {
        for &n in sizes {
            let [here, there] =
                [Device::Cpu, device].map(|device| all(n, dtype, device));
            for ((what, right), (_, yours)) in here.into_iter().zip(there) {
                let values = |t: &Tensor| t.to_vec_of::<f64>().unwrap();
                let (right, yours) = (values(&right), values(&yours));
                assert_eq!(right.len(), yours.len());
                for (right, yours) in right.iter().zip(yours) {
                    let bound = match dtype {
                        DType::F64 => 1e-12,
                        _ => 2e-3,
                    };
                    assert!(
                        (right - yours).abs() <= bound * right.abs().max(1.0),
                        "{what} of {n} {dtype}: {yours}, not {right}"
                    );
                }
            }
        }
    }
}

/// Runs operations of about `n` elements and returns their names and results.
fn all(n: usize, dtype: DType, device: Device) -> Vec<(&'static str, Tensor)> {
    let numbers = |shape: &[usize], seed| {
        let values = Tensor::rand(shape, seed, Device::Cpu).unwrap();
        // Multiples of 1/8, so that sums of `f16` are exact.
        let eighths = ((values * 16.0).floor() - 8.0) / 8.0;
        let there = eighths.to(device).unwrap();
        if is_child() {
            std::mem::forget(there.clone());
        }
        there.to_dtype(dtype).unwrap()
    };
    let (x, y) = (numbers(&[n], 1), numbers(&[n], 2));
    let matrix = numbers(&[n, 5], 3);
    let wide = numbers(&[3, n], 4);
    let image = numbers(&[2, 1, 7, 9], 5).requires_grad();
    let (last, two) = (n - 1, numbers(&[2, 5], 9));
    let places: Vec<usize> = (0..n).map(|i| (i + 1) % 2).collect();
    // One step takes the simulator long.
    let side = if is_child() { 35 } else { 67 };
    let square = numbers(&[side, side + 3], 10);
    let random = Array::uniform_of(&[n], 7, dtype, device).unwrap();
    let pool = Window::new([3, 3]).stride([2, 2]);
    let mut found = no_grad(|| {
        vec![
            ("a map", (&x * 0.5 + 1.0).exp()),
            ("a map of a part", x.slice(&[1.min(last)..n]).tanh()),
            ("pairs", &x * &y),
            ("stretched pairs", &matrix + &matrix.slice(&[0..1])),
            ("turned pairs", &wide + &matrix.slice(&[0..n, 0..3]).transpose()),
            ("a choice", x.gt(&y).where_cond(&x, &y)),
            ("a part", Tensor::from(x.flip(&[0]).array().compact().unwrap())),
            (
                "a transposition",
                Tensor::from(matrix.transpose().array().compact().unwrap()),
            ),
            ("a join", Tensor::cat(&[&x, &y], 0)),
            ("a sum", x.sum()),
            ("sums of rows", wide.sum_over(&[1], Keep::No)),
            ("sums of short rows", matrix.sum_over(&[1], Keep::No)),
            ("sums of columns", matrix.sum_over(&[0], Keep::No)),
            ("the largest of rows", wide.max_over(&[1], Keep::No)),
            ("shares of rows", wide.softmax()),
            ("attention", numbers(&[2, 5, 12], 4).self_attention(2)),
            (
                "attention of a long text",
                numbers(&[1, 40, 12], 4).self_attention(1),
            ),
            ("norms", wide.layer_norm(&x, &y, 0.5)),
            ("gelu", wide.gelu()),
            ("shares of fours", numbers(&[2, 4 * n], 6).log_softmax()),
            ("rows", matrix.index_select(0, &[last, 0, last])),
            ("sorted rows", two.index_add(0, &vec![0; n], &matrix)),
            ("rows in no order", two.index_add(0, &places, &matrix)),
            (
                "a product by a vector",
                wide.matmul(&matrix.slice(&[0..n, 0..1])),
            ),
            ("a product", wide.matmul(&matrix)),
            ("a product of tiles", square.matmul(&square.transpose())),
            ("another type", x.to_dtype(DType::F32).unwrap()),
            ("random numbers", Tensor::from(random)),
        ]
    });
    let step = AdamStep {
        betas: [0.75, 0.5],
        one_minus_betas: [0.25, 0.5],
        bias_correction: 0.5,
        epsilon: 0.125,
        rate: -0.25,
        decay_factor: 0.875,
    };
    let (mean, square) = (&x + &y, &y * &y);
    let moments = [mean.array(), square.array()];
    let next = x.array().adam_step(y.array(), moments, &step).unwrap();
    let names = ["a step of Adam", "its mean", "its mean square"];
    found.extend(names.into_iter().zip(next.map(Tensor::from)));
    // Oclgrind 21 reports values that the first backward kernel wrote as
    // uninitialized; `families::long_texts` tests the second kernel by its
    // output.
    if !is_child() {
        let text = numbers(&[1, 33, 12], 12).requires_grad();
        text.self_attention(1).sum().backward();
        found.push(("the gradient of a long text", text.grad().unwrap()));
    }
    let filters = numbers(&[3, 1, 3, 3], 8).requires_grad();
    let options = ConvOptions::default();
    let loss = image.max_pool2d(&pool).sum();
    (loss + image.conv2d(&filters, None, &options).sum()).backward();
    found.push(("the gradient of an image", image.grad().unwrap()));
    found.push(("the gradient of filters", filters.grad().unwrap()));
    // Large enough that the work-items of a group share the products of an
    // element.
    if n > 1000 {
        filters.zero_grad();
        let image = numbers(&[1, 1, 130, 130], 11);
        image.conv2d(&filters, None, &options).sum().backward();
        let grad = filters.grad().unwrap();
        found.push(("the gradient of filters by a large image", grad));
    }
    found
}
