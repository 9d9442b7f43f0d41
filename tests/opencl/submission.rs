//! Commands that go through the submission thread, as on a GPU.

use std::env;
use std::fs;
use std::process::Command;

use rungrad::opencl::{Buffer, Source};

use testkit::child::{child, is_child, succeed};
use testkit::device::gpu_or_skip;

const VARIABLE: &str = "RUNGRAD_SUBMISSION_THREAD";
const ADD_ONE: &str = "kernel void add_one(global float *x)
{
    x[get_global_id(0)] += 1.0f;
}";

/// Runs all tests of this program whose names contain a word, and returns
/// their number.
fn run_tests_named(word: &str) -> usize {
    let mut command = Command::new(env::current_exe().unwrap());
    let text = succeed(command.arg(word).env(VARIABLE, "on"));
    let count = text.split("test result: ok. ").nth(1);
    let count = count.and_then(|it| it.split(" passed").next());
    count.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn launch_tests_pass_with_the_submission_thread() {
    if gpu_or_skip().is_some() {
        assert!(run_tests_named("launches::") > 10);
    }
}

/// Returns the names of this process's threads, on Linux.
fn threads() -> Option<Vec<String>> {
    let name = |it: fs::DirEntry| fs::read_to_string(it.path().join("comm"));
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.flatten().filter_map(|it| name(it).ok()).collect())
}

/// Uploads, launches and reads are executed in program order.
#[test]
fn the_submission_thread_keeps_program_order() {
    let Some(gpu) = gpu_or_skip() else { return };
    if !is_child() {
        for word in ["on", "off"] {
            let name = "submission::the_submission_thread_keeps_program_order";
            succeed(child(name).env(VARIABLE, word));
        }
        return;
    }
    let source = Source::new("add_one.cl", ADD_ONE, "add_one");
    let launch = |buffer: &Buffer<f32>| {
        let launch = gpu.launch_source(&source).output(buffer, 1);
        // SAFETY: one item writes the one value.
        unsafe { launch.global(1).local(1).run() }.unwrap();
    };
    for i in 0..200 {
        let buffer = gpu.upload(&[0.0_f32]).unwrap();
        (0..i % 7).for_each(|_| launch(&buffer));
        if i % 3 == 0 {
            buffer.write(&[100.0]).unwrap();
            launch(&buffer);
        }
        let right = if i % 3 == 0 { 101.0 } else { (i % 7) as f32 };
        assert_eq!(buffer.read().unwrap(), [right], "{i}");
    }
    // More uploads than are kept alive while no one waits for the device.
    let many = |i: usize| vec![i as f32; 1 << 14];
    let all: Vec<_> = (0..300).map(|i| gpu.upload(&many(i)).unwrap()).collect();
    for (i, buffer) in all.iter().enumerate() {
        assert!(buffer.read().unwrap() == many(i), "{i}");
    }
    let runs = threads().map(|all| all.iter().any(|it| it == "submission\n"));
    let wanted = env::var(VARIABLE).is_ok_and(|it| it == "on");
    assert!(runs.is_none_or(|runs| runs == wanted), "{:?}", threads());
}
