//! The counts of the Oclgrind plugin, for kernels whose memory accesses per
//! warp of 32 items can be computed by hand.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use profile::{Access, Kind, LINE, Launch, Plugin, SECTOR};
use rungrad::opencl::{Gpu, Source};
use rungrad::part2_gpu::matmul::MATMUL_LADDER;

use super::oclgrind::{multiply, simulator};
use testkit::child::{child_under, is_child, succeed};
use testkit::device::skip;
use testkit::place::scratch;

/// Side length of the matrices and of a tile; also the warp size.
const N: usize = 32;

/// Returns the plugin's log of the test `name`, run as a child process;
/// `None`, with a reported skip, if the plugin cannot be built.
#[track_caller]
fn launches(name: &str, warp: usize) -> Option<Vec<Launch>> {
    let plugin = match Plugin::find(&profile::tools()) {
        Ok(plugin) => plugin,
        Err(sentence) => {
            skip("no plugin for Oclgrind", &sentence);
            return None;
        }
    };
    let log: PathBuf = scratch().join(format!("profile-{name}-{warp}.log"));
    let mut tool = Command::new("oclgrind");
    tool.args(["--build-options", "-cl-opt-disable"]);
    plugin.attach(&mut tool, warp, &log);
    child_under(&mut tool, &format!("counters::{name}"));
    succeed(&mut tool);
    let text = fs::read_to_string(&log).expect("the plugin writes its log");
    Some(profile::read(&text).expect("a whole log"))
}

/// Runs the kernel `k` of a source on two N x N matrices.
fn run(gpu: &Gpu, text: &str, options: &str, group: [usize; 2]) {
    let source = Source::new("k.cl", text, "k").options(options);
    let a = gpu.upload(&vec![1.0_f32; 2 * N * N]).unwrap();
    let out = gpu.upload(&vec![0.0_f32; 2 * N * N]).unwrap();
    let launch = gpu.launch_source(&source);
    let launch = launch.input(&a, 2 * N * N).output(&out, 2 * N * N);
    let launch = launch.global([N, N]).local(group);
    // SAFETY: the simulator reports out-of-bounds accesses instead of
    // executing them.
    unsafe { launch.run() }.unwrap();
    gpu.finish().unwrap();
}

fn find(launch: &Launch, kind: Kind, is_local: bool) -> &Access {
    let mut all = launch.accesses.iter();
    all.find(|it| it.kind == kind && it.is_local == is_local)
        .expect("it is there")
}

/// Returns the mean count per execution by a warp.
fn each(access: &Access, count: u64) -> f64 {
    count as f64 / access.times() as f64
}

const HEAD: &str = "kernel void k(global const float *a, global float *out) {
    uint x = get_global_id(0), y = get_global_id(1), i = y * 32 + x;";

/// Promise: The profiler counts the sectors and cache lines of contiguous,
/// strided and broadcast accesses exactly.
#[test]
fn sectors_are_counted_per_access_pattern() {
    // The loaded expression, its sectors and cache lines, and the smallest
    // possible number of sectors.
    let cases = [
        ("a[i]", 4, 1, 4),
        ("a[2 * i]", 8, 2, 4),
        ("a[x * 32 + y]", 32, 32, 4),
        ("a[i + 1]", 5, 2, 4),
        ("a[y]", 1, 1, 1),
    ];
    let name = "sectors_are_counted_per_access_pattern";
    if is_child() {
        let gpu = simulator();
        for (what, ..) in cases {
            let text = format!("{HEAD}\n  out[i] = {what};\n}}");
            run(&gpu, &text, "", [N, 8]);
        }
        return;
    }
    let Some(launches) = launches(name, 32) else { return };
    assert_eq!(launches.len(), cases.len());
    for ((what, sectors, lines, least), launch) in
        cases.into_iter().zip(launches)
    {
        let load = find(&launch, Kind::Load, false);
        assert_eq!((load.line, load.times()), (3, 32), "{what}");
        let first = &load.moments[0];
        let all = [first.parts(4, SECTOR), first.parts(4, LINE)];
        assert_eq!(all, [sectors, lines], "{what}");
        assert_eq!(first.least(4, SECTOR), least, "{what}");
        let store = find(&launch, Kind::Store, false);
        assert_eq!(store.parts(SECTOR), [4 * 32, 4 * 32], "{what}");
        assert_eq!(launch.elements(), (N * N) as u64, "{what}");
    }
}

/// Promise: The profiler supports warps of 64 work-items.
#[test]
fn a_warp_of_64_items_has_twice_the_sectors() {
    if is_child() {
        let text = format!("{HEAD}\n  out[i] = a[i];\n}}");
        return run(&simulator(), &text, "", [N, 8]);
    }
    let name = "a_warp_of_64_items_has_twice_the_sectors";
    let Some(launches) = launches(name, 64) else { return };
    let load = find(&launches[0], Kind::Load, false);
    assert_eq!((load.times(), load.parts(SECTOR)), (16, [8 * 16, 8 * 16]));
}

/// Promise: The profiler counts the scattered accesses of a naive transposition
/// and the coalesced ones of a tiled one.
#[test]
fn a_tiled_transposition_is_coalesced() {
    const TILED: &str = "
    local float tile[32][32 + PAD];
    uint p = get_local_id(0), q = get_local_id(1);
    tile[q][p] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[p][q];
}";
    if is_child() {
        let gpu = simulator();
        let naive = format!("{HEAD}\n  out[x * 32 + y] = a[i];\n}}");
        run(&gpu, &naive, "", [N, N]);
        for pad in ["-D PAD=0", "-D PAD=1"] {
            run(&gpu, &format!("{HEAD}{TILED}"), pad, [N, N]);
        }
        return;
    }
    let name = "a_tiled_transposition_is_coalesced";
    let Some(launches) = launches(name, 32) else { return };
    let [naive, tiled, padded] = &launches[..] else { panic!("{launches:?}") };
    let stores = |launch| {
        let store = find(launch, Kind::Store, false);
        each(store, store.parts(SECTOR)[0])
    };
    assert_eq!([naive, tiled, padded].map(stores), [32.0, 4.0, 4.0]);
    let wavefronts = |launch, kind| {
        let access = find(launch, kind, true);
        each(access, access.wavefronts()[0])
    };
    assert_eq!(wavefronts(tiled, Kind::Load), 32.0);
    assert_eq!(wavefronts(padded, Kind::Load), 1.0);
    assert_eq!(wavefronts(tiled, Kind::Store), 1.0);
    assert_eq!(wavefronts(padded, Kind::Store), 1.0);
    assert_eq!((tiled.local, padded.local), (4096, 4096 + 128));
    // The launch is a single group with one barrier.
    assert_eq!(tiled.barriers.values().copied().collect::<Vec<_>>(), [1]);
}

/// Promise: The profiler counts divergent warps exactly.
#[test]
fn divergent_branches_are_counted() {
    // A condition that half of the items in each warp meet, and one that half
    // of the warps meet.
    let cases = [("x % 2 == 0", 32, 16.0), ("y % 2 == 0", 0, 32.0)];
    if is_child() {
        let gpu = simulator();
        for (guard, ..) in cases {
            let body = format!("if ({guard})\n  out[i] = a[i];");
            run(&gpu, &format!("{HEAD}\n{body}\n}}"), "", [N, 8]);
        }
        return;
    }
    let name = "divergent_branches_are_counted";
    let Some(launches) = launches(name, 32) else { return };
    for ((guard, split, items), launch) in cases.into_iter().zip(launches) {
        let branch = launch.branches[&3];
        assert_eq!((branch.times, branch.split), (32, split), "{guard}");
        let load = find(&launch, Kind::Load, false);
        let lanes = load.total(|moment| moment.lanes());
        assert_eq!(each(load, lanes), items, "{guard}");
        assert_eq!(launch.busy() < 1.0, split > 0, "{guard}");
    }
}

/// The items have loops of different lengths: iteration 3 of a long loop
/// counts together with iteration 3 of a short one, as in a warp.
///
/// Promise: The profiler counts the iterations of a loop per warp.
#[test]
fn loop_iterations_are_counted_per_warp() {
    if is_child() {
        let body = "for (uint t = 0; t <= x; t++) out[i] += a[t * 32 + x];";
        return run(&simulator(), &format!("{HEAD}\n{body}\n}}"), "", [N, 1]);
    }
    let name = "loop_iterations_are_counted_per_warp";
    let Some(launches) = launches(name, 32) else { return };
    let loads = launches[0].accesses.iter().filter(|it| it.kind == Kind::Load);
    // The line's other load reads out[i] and has a smaller column.
    let load = loads.max_by_key(|it| it.column).expect("a[..] is loaded");
    assert_eq!(load.times(), 32 * 32);
    let lanes: u64 = (1..=32).sum();
    assert_eq!(load.total(|moment| moment.lanes()), 32 * lanes);
    // 32 neighbors in the first iteration and one item in the last.
    let most = load.moments.iter().map(|it| it.parts(4, SECTOR)).max();
    assert_eq!(most, Some(4));
    assert!(load.parts(SECTOR)[0] < 32 * 32 * 4);
}

/// Full tiles for every kernel, and a single step along `k` for most of them.
const SHAPE: [usize; 3] = [128, 16, 128];

/// Promise: The profiler counts the loads that the formula of each matmul
/// kernel predicts.
#[test]
#[ignore = "slow: 19 s, counts each rung in Oclgrind"]
fn counted_loads_match_the_formula_of_each_rung() {
    if is_child() {
        let gpu = simulator();
        return MATMUL_LADDER
            .iter()
            .for_each(|rung| multiply(&gpu, rung, SHAPE));
    }
    let name = "counted_loads_match_the_formula_of_each_rung";
    let Some(launches) = launches(name, 32) else { return };
    assert_eq!(launches.len(), MATMUL_LADDER.len());
    for (rung, launch) in MATMUL_LADDER.iter().zip(launches) {
        assert_eq!(rung.kernel.name(), launch.kernel);
        let elements = launch.elements() as f64;
        assert_eq!(elements as usize, SHAPE[0] * SHAPE[2], "{}", launch.kernel);
        let counted =
            [false, true].map(|it| launch.loads(it) as f64 / elements);
        assert_eq!(counted, rung.loads(SHAPE[1]), "{}", launch.kernel);
    }
}
