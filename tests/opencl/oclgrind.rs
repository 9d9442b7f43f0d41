//! Runs every kernel of the crate in Oclgrind, which checks the accesses of a
//! kernel, and checks that Oclgrind reports planted bugs.

use std::fs;
use std::process::Command;

use rungrad::opencl::{Buffer, Gpu, Kernel, Launch, Source};
use rungrad::part2_gpu::matmul::{KAHAN, MATMUL_LADDER, MatmulRung};
use rungrad::part2_gpu::matvec::{ROWS, TEAMS, Variant};

use super::families::{Family, WITHOUT_OPTIMIZER};
use super::mirror;
use testkit::child::{child_under, is_child, rerun_without_optimizer, succeed};
use testkit::device::{gpu_or_skip, skip};
use testkit::launches::part3::groups::IN_PARTS;
use testkit::launches::{part2, part3};
use testkit::place::scratch;
use testkit::random::cases;

/// Returns the findings of Oclgrind while the test `name` runs as a child;
/// `None`, with a reported skip, if Oclgrind is not installed. Oclgrind exits
/// with 0 even after findings, so its log is the result.
#[track_caller]
pub(crate) fn findings(name: &str, options: &[&str]) -> Option<String> {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        skip("no Oclgrind", "`cargo learn setup` installs it");
        return None;
    }
    let log = name.replace("::", "-");
    let log = scratch().join(format!("oclgrind-{log}.log"));
    let mut tool = Command::new("oclgrind");
    tool.args(["--data-races", "--uninitialized", "--check-api"]);
    // The largest matmul tiles need the local memory size of a GPU.
    tool.args(["--local-mem-size", "49152"]).args(options);
    tool.arg("--log").arg(&log);
    child_under(&mut tool, name);
    let text = succeed(&mut tool);
    assert!(text.contains("Oclgrind ran this"), "{text}");
    // Oclgrind prints wrong host calls to stderr instead of its log.
    assert!(!text.contains("runtime error"), "{text}");
    Some(fs::read_to_string(&log).expect("Oclgrind writes its log"))
}

/// Opens the simulator and reports that to the parent: if the preload were
/// lost, the log would be as empty as that from a clean run.
pub(crate) fn simulator() -> Gpu {
    let gpu = Gpu::first().unwrap();
    assert_eq!(gpu.info().platform, "Oclgrind");
    println!("Oclgrind ran this");
    gpu
}

// ANCHOR: every-kernel
fn compare_all(gpu: &Gpu, kernels: &[Kernel], sizes: &[usize]) {
    for kernel in kernels {
        if kernel.name().ends_with("_f64") && !gpu.info().supports_f64 {
            continue;
        }
        if let Some(rung) = rung(kernel) {
            check_rung(gpu, rung);
        } else if let Some(way) = way(kernel) {
            // One row more than a group handles.
            let rows = 256 / way.team + 1;
            for shape in [[1, 1], [3, 0], [rows, 37]] {
                multiply_vector(gpu, way, shape);
            }
        } else if is_slow(kernel) && gpu.info().platform == "Oclgrind" {
            if let Some(n) = simulated_size(kernel) {
                compare(gpu, kernel, n);
            }
        } else {
            sizes.iter().for_each(|&n| compare(gpu, kernel, n));
        }
    }
}

/// Runs some kernels of a family in the simulator for the test `name`.
pub(crate) fn is_clean(family: &Family, name: &str, kernels: &[Kernel]) {
    if is_child() {
        let sizes = [1, 2, 255, 256, 257, 600];
        return compare_all(&simulator(), kernels, &sizes);
    }
    if let Some(found) = findings(&family.test(name), family.options) {
        assert!(found.is_empty(), "{found}");
    }
}
// ANCHOR_END: every-kernel

/// Returns whether `is_clean` runs a kernel in the simulator.
pub(crate) fn is_simulated(kernel: &Kernel) -> bool {
    !is_slow(kernel) || simulated_size(kernel).is_some()
}

/// Returns the size at which a kernel with tiles is simulated, if it is.
///
/// The four kernels of one tile size differ in the layouts of their two
/// operands. Two of them are enough, because they cover each way to read an
/// operand. All tile sizes are compiled from one source, so only the smallest
/// are simulated in full. For the larger ones, two matrices or two parts reach
/// each border of the tile, the switch to the other half of local memory, and
/// the barrier before the next tile. `RUNGRAD_CASES` simulates all sizes in
/// full.
fn simulated_size(kernel: &Kernel) -> Option<usize> {
    const WHOLE: usize = 30;
    let has = |option| kernel.options().contains(option);
    // The variants for tensor cores are compiled from the same source.
    if has("-DCORES=0 -DTILE_M=128") {
        return None;
    }
    let is_small = !has("-DTILE_M=") || has("-DTILE_M=32");
    match [has("-DA_ALONG_K=1"), has("-DB_ALONG_N=1")] {
        _ if cases(0) > 0 => Some(WHOLE),
        _ if kernel.name().starts_with("attention") => Some(1),
        _ if kernel.name() == "product_warpgroups" => Some(IN_PARTS),
        [a, b] if has("-DB_ALONG_N=") && a != b => None,
        _ if is_small => Some(WHOLE),
        [true, true] => Some(13),
        _ => Some(IN_PARTS),
    }
}

/// Returns whether a kernel is slow to simulate: a step of the largest tiles
/// takes a second.
fn is_slow(kernel: &Kernel) -> bool {
    let slow = ["product", "attention_long"];
    slow.iter().any(|start| kernel.name().starts_with(start))
}

/// Runs the same comparison on a device, which is fast enough for more than
/// one group of `float4`s and for random launches.
pub(crate) fn agrees_with_the_host(family: &Family) {
    let Some(gpu) = gpu_or_skip() else { return };
    // PoCL's optimizer takes seconds for a kernel with tiles, and the engine's
    // own tests run the optimized kernels.
    if family.is_tiled()
        && rerun_without_optimizer(&family.test("agrees_with_the_host"))
    {
        return;
    }
    compare_all(&gpu, &family.kernels(), &[1, 257, 600, 1500]);
    mirror::compare_random(&gpu, &family.kernels());
}

/// Returns the rung of the ladder that uses this kernel.
fn rung(kernel: &Kernel) -> Option<&'static MatmulRung> {
    let mut rungs = MATMUL_LADDER.iter().chain(&KAHAN);
    rungs.find(|rung| rung.kernel.name() == kernel.name())
}

/// The simulator needs the optimizer for the sizes of the ladder, and the
/// optimizer removes the writes of an unrolled loop past the end of an array.
/// So each rung multiplies once without optimization.
#[test]
#[ignore = "slow: 14 s, each rung of the ladder in Oclgrind"]
fn no_rung_writes_past_its_local_arrays() {
    if is_child() {
        let gpu = simulator();
        for rung in MATMUL_LADDER.iter().chain(&KAHAN) {
            multiply(&gpu, rung, [2, 3, 2]);
        }
        return;
    }
    let name = "oclgrind::no_rung_writes_past_its_local_arrays";
    if let Some(found) = findings(name, WITHOUT_OPTIMIZER) {
        assert!(found.is_empty(), "{found}");
    }
}

/// Multiplies matrices of several shapes with a rung of the ladder.
fn check_rung(gpu: &Gpu, rung: &MatmulRung) {
    // Row lengths of 1, and 1, 2 and 3 more than a multiple of 4; several
    // steps along `k` and several groups.
    for shape in [[1, 1, 1], [3, 0, 2], [17, 18, 7], [130, 20, 12]] {
        multiply(gpu, rung, shape);
    }
    // `float4` loads are used only if both row lengths are multiples of 4.
    for [k, n] in [[3, 8], [5, 8], [8, 3], [8, 5]] {
        multiply(gpu, rung, [5, k, n]);
    }
}

/// Runs the kernel on `n` values and compares the result with the host's.
fn compare(gpu: &Gpu, kernel: &Kernel, n: usize) {
    let ran = part2::run(gpu, kernel, n).or_else(|| part3::run(gpu, kernel, n));
    let Some((yours, right)) = ran else {
        panic!("write a launch of {} for this test", kernel.name())
    };
    same(kernel, n, &yours, &right);
}

/// Compares the product of two matrices of small integers, which is exact.
pub(crate) fn multiply(gpu: &Gpu, rung: &MatmulRung, shape: [usize; 3]) {
    let [m, k, n] = shape;
    let values = |rows: usize, columns: usize, period: usize| -> Vec<f32> {
        let value = |i| (i % period) as f32 - 3.0;
        (0..(rows * columns).max(1)).map(value).collect()
    };
    let (a, b) = (values(m, k, 7), values(k, n, 5));
    let expected = |row: usize, column: usize| {
        (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum()
    };
    let expected: Vec<f32> =
        (0..m * n).map(|i| expected(i / n, i % n)).collect();
    let out = gpu.allocate(m * n).unwrap();
    let [a, b] = [&a, &b].map(|values| gpu.upload(values).unwrap());
    rung.launch(&a, &b, &out, shape).run().unwrap();
    same(&rung.kernel, m * n, &out.read().unwrap(), &expected);
}

/// Returns the matrix-vector variant that uses this kernel.
fn way(kernel: &Kernel) -> Option<Variant> {
    [ROWS, TEAMS].into_iter().find(|it| it.kernel.name() == kernel.name())
}

/// Compares the product of a matrix and a vector of small integers.
fn multiply_vector(gpu: &Gpu, way: Variant, [m, k]: [usize; 2]) {
    let values = |len: usize, period: usize| -> Vec<f32> {
        (0..len.max(1)).map(|i| (i % period) as f32 - 3.0).collect()
    };
    let (a, v) = (values(m * k, 7), values(k, 5));
    let expected: Vec<f32> =
        (0..m).map(|row| (0..k).map(|i| a[row * k + i] * v[i]).sum()).collect();
    let out = gpu.allocate(m).unwrap();
    let [a, v] = [&a, &v].map(|values| gpu.upload(values).unwrap());
    way.launch(&a, &v, &out, [m, k]).run().unwrap();
    same(&way.kernel, m, &out.read().unwrap(), &expected);
}

fn same(kernel: &Kernel, n: usize, yours: &[f32], right: &[f32]) {
    let name = kernel.name();
    assert_eq!(yours.len(), right.len(), "{name} of {n}");
    for (i, (a, b)) in yours.iter().zip(right).enumerate() {
        let none = a.is_nan() && b.is_nan();
        // OpenCL allows an error of 16 ULP for `pow`.
        let close = a == b || none || (a - b).abs() <= 2e-6 * b.abs();
        assert!(close, "{name} of {n}, element {i}: {a}, expected {b}");
    }
}

/// Runs a kernel with a planted bug in the simulator.
fn run_faulty(
    text: &str,
    sized: impl for<'b> FnOnce(
        Launch<'b, Source>,
        &'b Buffer<f32>,
    ) -> Launch<'b, Source>,
) {
    let gpu = simulator();
    let out = gpu.upload(&[0.0_f32; 4]).unwrap();
    let source = Source::new("faulty.cl", text, "faulty");
    let launch = sized(gpu.launch_source(&source), &out);
    // SAFETY: the simulator reports out-of-bounds accesses instead of
    // executing them.
    unsafe { launch.run() }.unwrap();
    gpu.finish().unwrap();
}

/// Returns the findings of Oclgrind for a test of this file.
#[track_caller]
fn findings_here(name: &str) -> Option<String> {
    findings(&format!("oclgrind::{name}"), WITHOUT_OPTIMIZER)
}

/// Promise: Oclgrind reports a planted out-of-bounds write.
#[test]
fn an_out_of_bounds_write_is_reported() {
    if is_child() {
        let text = "kernel void faulty(global float *out) {
            out[get_global_id(0)] = 1.0f;
        }";
        return run_faulty(text, |launch, out| {
            launch.output(out, 4).global(5).local(1)
        });
    }
    if let Some(found) = findings_here("an_out_of_bounds_write_is_reported") {
        assert!(found.contains("Invalid write of size 4"), "{found}");
        assert!(found.contains("At line 2"), "{found}");
    }
}

#[test]
fn a_missing_barrier_is_reported() {
    if is_child() {
        let text = "kernel void faulty(global float *out) {
            local float cells[4];
            uint item = get_local_id(0);
            cells[item] = item;
            out[item] = cells[3 - item];
        }";
        return run_faulty(text, |launch, out| {
            launch.output(out, 4).global(4).local(4)
        });
    }
    if let Some(found) = findings_here("a_missing_barrier_is_reported") {
        assert!(found.contains("data race"), "{found}");
    }
}

#[test]
fn an_uninitialized_value_is_reported() {
    if is_child() {
        let text = "kernel void faulty(global float *out) {
            float cell;
            out[0] = cell;
        }";
        return run_faulty(text, |launch, out| {
            launch.output(out, 4).global(1).local(1)
        });
    }
    if let Some(found) = findings_here("an_uninitialized_value_is_reported") {
        assert!(found.contains("Uninitialized value"), "{found}");
    }
}

/// Promise: Oclgrind reports a planted divergent barrier.
#[test]
fn a_divergent_barrier_is_reported() {
    if is_child() {
        let text = "kernel void faulty(global float *out) {
            if (get_local_id(0) < 3) {
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_local_id(0)] = 1.0f;
            }
        }";
        return run_faulty(text, |launch, out| {
            launch.output(out, 4).global(4).local(4)
        });
    }
    if let Some(found) = findings_here("a_divergent_barrier_is_reported") {
        assert!(found.contains("Only 3 out of 4 work-items"), "{found}");
    }
}
