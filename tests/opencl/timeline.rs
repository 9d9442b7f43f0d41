//! The timeline of a device: one slice per call, on one clock.

use std::collections::BTreeSet;
use std::thread;
use std::time::Instant;

use rungrad::opencl::{Buffer, Event, Gpu, record};
use rungrad::part2_gpu::kernels;
use rungrad::timeline::{Slice, SliceKind, Timeline};
use rungrad::{Error, stopwatch};
use serde_json::Value;

use testkit::child::{child, is_child, succeed};
use testkit::device::{gpu_or_skip, skip, two_pocl_devices};

const N: usize = 1000;

fn launch(gpu: &Gpu, out: &Buffer<f32>) -> Result<Event, Error> {
    gpu.launch(&kernels::EW_FILL)
        .output(out)
        .scalar(2.5_f32)
        .scalar(N as u32)
        .global(N)
        .local(256)
        .timed()
}

fn fill(gpu: &Gpu, out: &Buffer<f32>) {
    launch(gpu, out).unwrap();
}

/// Records an upload, three launches and a read.
fn record_work(gpu: &Gpu) -> Timeline {
    let work = || {
        let out = gpu.upload(&[0.0_f32; N]).unwrap();
        for _ in 0..3 {
            fill(gpu, &out);
        }
        assert_eq!(out.read().unwrap(), [2.5; N]);
    };
    // Builds the kernels before the recording.
    work();
    record(work).unwrap().1
}

/// Promise: A timeline has one slice per copy and launch, in the order of the
/// calls.
#[test]
fn each_call_has_a_slice_in_call_order() {
    let Some(gpu) = gpu_or_skip() else { return };
    let timeline = record_work(&gpu);
    let index = gpu.info().index;
    assert_eq!(timeline.devices, [(index, gpu.name().to_string())]);
    let fields = |slice: &Slice| {
        (slice.kind, slice.name.clone(), slice.amount.clone(), slice.bytes)
    };
    let launch = (SliceKind::Launch, "ew_fill".into(), "4 x 256".into(), 0);
    let copied = "3.9 KiB".to_string();
    let expected = [
        (SliceKind::Upload, "upload".into(), copied.clone(), 4000),
        launch.clone(),
        launch.clone(),
        launch,
        (SliceKind::Read, "read".into(), copied, 4000),
    ];
    let found: Vec<_> = timeline.slices.iter().map(fields).collect();
    assert_eq!(found, expected);
    assert_eq!(timeline.launches().count(), 3);
}

/// Promise: A timeline converts device times to the host clock in the right
/// order.
#[test]
fn slice_times_are_ordered_on_the_host_clock() {
    let Some(gpu) = gpu_or_skip() else { return };
    let timeline = record_work(&gpu);
    assert_eq!(timeline.slices[0].call[0], 0, "the first call is the zero");
    let mut before = [0; 2];
    let mut free = 0;
    for slice in &timeline.slices {
        let [called, returned] = slice.call;
        assert!(before[1] <= called && called <= returned, "{slice:?}");
        before = slice.call;
        let times = slice.times.expect("a copy or a launch");
        assert!(called <= times.queued, "{slice:?}");
        // The clock of a device can have a coarse resolution.
        assert!(times.queued <= returned + 1_000_000, "{slice:?}");
        assert!(times.queued <= times.submitted, "{slice:?}");
        assert!(times.submitted <= times.started, "{slice:?}");
        assert!(times.started <= times.ended, "{slice:?}");
        // The queue is in order, so the slices do not overlap.
        assert!(free <= times.started, "{slice:?}");
        free = times.ended;
    }
}

#[test]
fn the_device_stopwatch_returns_seconds() {
    let Some(gpu) = gpu_or_skip() else { return };
    let out = gpu.upload(&[0.0_f32; N]).unwrap();
    let start = Instant::now();
    let seconds = stopwatch::device(|| launch(&gpu, &out)).unwrap();
    let all = start.elapsed().as_secs_f64();
    assert!(0.0 < seconds && seconds < all, "{seconds} of {all}");
}

/// Promise: A trace is valid JSON with one device slice per launch, which
/// Perfetto can open.
#[test]
fn the_trace_is_json_with_a_device_slice_per_launch() {
    let Some(gpu) = gpu_or_skip() else { return };
    let timeline = record_work(&gpu);
    let trace: Value = serde_json::from_str(&timeline.perfetto()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let process = |name: &str| {
        let named = events.iter().find(|event| {
            event["name"] == "process_name" && event["args"]["name"] == name
        });
        named.unwrap_or_else(|| panic!("no process {name}"))["pid"].clone()
    };
    let host = process("host");
    let device = format!("gpu:{} {}", gpu.info().index, gpu.name());
    let device = process(&device);
    let slices = |pid: &Value| -> Vec<&Value> {
        let of = |e: &&Value| e["ph"] == "X" && e["pid"] == *pid;
        events.iter().filter(of).collect()
    };
    assert_eq!(slices(&host).len(), timeline.slices.len());
    let done = slices(&device);
    assert_eq!(done.len(), timeline.slices.len());
    let launches: Vec<_> =
        done.iter().filter(|e| e["name"] == "ew_fill").collect();
    assert_eq!(launches.len(), 3);
    let mut free = 0.0;
    for event in done {
        let [at, takes] = ["ts", "dur"].map(|it| event[it].as_f64().unwrap());
        assert!(free <= at && takes >= 0.0, "{event}");
        free = at + takes;
    }
    // An arrow connects each call with the device slice that it started.
    for (end, pid) in [("s", host), ("f", device)] {
        let of = |e: &&Value| e["ph"] == end && e["pid"] == pid;
        assert_eq!(events.iter().filter(of).count(), timeline.slices.len());
    }
}

#[test]
fn calls_of_one_thread_share_a_thread_number() {
    let Some(gpu) = gpu_or_skip() else { return };
    let slices = record_work(&gpu).slices;
    assert!(slices.len() > 2, "{slices:?}");
    assert!(slices.iter().all(|it| it.thread == 0), "{slices:?}");
}

#[test]
fn the_text_has_one_line_per_launch() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = record_work(&gpu).text();
    let lines = text.lines().filter(|line| line.ends_with('|'));
    let launches = lines.filter(|line| line.starts_with("ew_fill  "));
    assert_eq!(launches.count(), 3, "{text}");
}

#[test]
fn a_build_is_a_slice_inside_its_launch() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global float *a) { a[0] = 71.0f; }";
    let source = super::source(text);
    let out = gpu.upload(&[0.0_f32]).unwrap();
    let run = || {
        let launch = gpu.launch_source(&source).output(&out, 1);
        // SAFETY: the kernel writes one float, and `out` has one.
        unsafe { launch.global(1).local(1).run() }.unwrap();
        gpu.finish().unwrap();
    };
    let ((), first) = record(run).unwrap();
    let kinds: Vec<SliceKind> = first.slices.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [SliceKind::Launch, SliceKind::Build, SliceKind::Finish]);
    let [launch, build, _] = &first.slices[..] else { unreachable!() };
    assert_eq!((&*build.name, &*build.amount), ("build", "my.cl"));
    assert!(launch.call[0] <= build.call[0], "{first:?}");
    assert!(build.call[1] <= launch.call[1], "{first:?}");
    // Nothing was queued before the compiler had finished.
    let times = launch.times.expect("a launch");
    assert!(build.call[1] <= times.queued, "{first:?}");

    let ((), second) = record(run).unwrap();
    assert_eq!(second.slices.len(), 2, "{second:?}");
}

#[test]
fn long_recordings_keep_all_events() {
    let Some(gpu) = gpu_or_skip() else { return };
    let out = gpu.upload(&[0.0_f32; N]).unwrap();
    let ((), timeline) = record(|| {
        for _ in 0..1500 {
            fill(&gpu, &out);
        }
    })
    .unwrap();
    let done = timeline.launches().filter(|it| it.times.is_some());
    assert_eq!(done.count(), 1500);
}

#[test]
fn recordings_are_per_thread_and_can_be_nested() {
    let Some(gpu) = gpu_or_skip() else { return };
    let out = gpu.upload(&[0.0_f32; N]).unwrap();
    let ((), outer) = record(|| {
        fill(&gpu, &out);
        let ((), inner) = record(|| fill(&gpu, &out)).unwrap();
        assert_eq!(inner.launches().count(), 1);
        thread::scope(|scope| {
            scope.spawn(|| fill(&gpu, &out));
        });
        fill(&gpu, &out);
    })
    .unwrap();
    assert_eq!(outer.launches().count(), 2);
    fill(&gpu, &out);
    let ((), nothing) = record(|| {}).unwrap();
    assert!(nothing.is_empty());
}

#[test]
fn each_device_is_a_process_in_the_trace() {
    if is_child() {
        let [first, second] = [0, 1].map(|index| Gpu::open(index).unwrap());
        let [a, b] = [&first, &second].map(|gpu| gpu.upload(&[0.0_f32; N]));
        let (a, b) = (a.unwrap(), b.unwrap());
        let ((), timeline) = record(|| {
            fill(&first, &a);
            fill(&second, &b);
            fill(&first, &a);
        })
        .unwrap();
        let places = timeline.launches().map(|slice| slice.device);
        assert_eq!(places.collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(timeline.devices.len(), 2);
        let trace: Value = serde_json::from_str(&timeline.perfetto()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let fills = events
            .iter()
            .filter(|e| e["ph"] == "X" && e["name"] == "ew_fill")
            .map(|e| e["pid"].to_string());
        // The host and two devices.
        assert_eq!(fills.collect::<BTreeSet<_>>().len(), 3);
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let Some(two) = two_pocl_devices() else {
        return skip("no PoCL", "this test asks PoCL for two devices");
    };
    succeed(
        child("timeline::each_device_is_a_process_in_the_trace")
            .env("POCL_DEVICES", two),
    );
}
