//! The command line that every example shares, tested from outside:
//! `--timeline`, `--trace FILE`, `--help`, errors, and a closed output pipe.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use testkit::device::gpu_or_skip;
use testkit::place::{programs, root, scratch};

/// The examples that these tests run.
const EXAMPLES: &[&str] = &[
    "part1_refusals",
    "part1_shapes",
    "part2_add",
    "part2_mul",
    "part2_stopwatch",
    "part3_digits",
    "part3_strides",
    "part3_views",
];

/// Runs an example with these arguments.
fn example(name: &str, words: &[&str]) -> Output {
    let missing = "the examples are built next to this test";
    call(name, words).output().expect(missing)
}

fn call(name: &str, words: &[&str]) -> Command {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let words = EXAMPLES.iter().flat_map(|name| ["--example", name]);
        let built = programs(&words.collect::<Vec<_>>());
        built.expect("the examples build").join("examples")
    });
    let mut call = Command::new(FOLDER.join(name));
    call.args(words).current_dir(root());
    call
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

fn file(name: &str) -> PathBuf {
    let path = scratch().join(name);
    let _ = fs::remove_file(&path);
    path
}

/// Promise: An example prints its timeline and writes its trace on request.
#[test]
fn an_example_prints_its_timeline_and_writes_its_trace() {
    if gpu_or_skip().is_none() {
        return;
    }
    let path = file("part2_mul.json");
    let name = path.to_str().expect("a plain name");
    let output = example("part2_mul", &["--trace", name, "--timeline"]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}{}", text(&output.stderr));
    assert!(out.starts_with("[6] on "), "{out}");
    assert!(out.contains("\new_mul "), "{out}");
    assert!(out.contains("https://ui.perfetto.dev"), "{out}");
    let trace = fs::read_to_string(&path).expect("the trace is there");
    let trace: Value = serde_json::from_str(&trace).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list").iter();
    // One event on the host and one on the device.
    assert_eq!(events.filter(|e| e["name"] == "ew_mul").count(), 2);
}

/// Promise: Events that an example records itself appear in its trace too.
#[test]
fn events_recorded_by_an_example_are_in_its_trace() {
    if gpu_or_skip().is_none() {
        return;
    }
    let path = file("part2_stopwatch.json");
    let name = path.to_str().expect("a plain name");
    let output = example("part2_stopwatch", &["100000", "--trace", name]);
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}{}", text(&output.stderr));
    // The example records four launches itself, after one launch before the
    // recording.
    assert_eq!(out.matches(" 391 x 256 ").count(), 4, "{out}");
    let trace = fs::read_to_string(&path).expect("the trace is there");
    let trace: Value = serde_json::from_str(&trace).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("a list").iter();
    let launches = events.filter(|e| e["name"] == "ew_add" && e["ph"] == "X");
    assert_eq!(launches.count(), 2 * 5);
}

#[test]
fn an_example_without_a_device_writes_no_trace() {
    let path = file("part1_shapes.json");
    let name = path.to_str().expect("a plain name");
    let words = ["--timeline", "2,1", "--trace", name, "1,3"];
    let output = example("part1_shapes", &words);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("a * b   2   3\n"));
    let said = text(&output.stderr);
    assert!(said.contains("Nothing ran on an OpenCL device"), "{said}");
    assert!(!path.exists());
}

#[test]
fn an_early_error_is_the_only_message() {
    let output = example("part2_add", &["many", "--timeline"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let is_ours = |line: &str| line.starts_with("error: part2_add takes");
    assert!(said.lines().any(is_ours), "{said}");
    assert!(!said.contains("Nothing ran"), "{said}");
}

#[test]
fn unknown_arguments_are_rejected() {
    let output = example("part1_refusals", &["--timelime"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("does not know `--timelime`"), "{said}");
}

#[test]
fn help_describes_the_example_and_runs_nothing() {
    for (name, words) in [
        ("part3_strides", "slice=..,1..3"),
        ("part3_views", "a write through one of them"),
        ("part3_digits", "--epochs N"),
    ] {
        let output = example(name, &["--help"]);
        assert!(output.status.success());
        let out = text(&output.stdout);
        assert!(out.contains(words) && out.contains("--trace FILE"), "{out}");
        assert!(!out.contains(" on cpu\n"), "it has run: {out}");
    }
}

/// `head` closes the pipe after its last line.
///
/// Promise: An example whose output is piped into `head` ends without an
/// error.
#[test]
fn a_closed_output_pipe_is_not_an_error() {
    for words in [&["2,1", "1,3"][..], &["--help"]] {
        let mut call = call("part1_shapes", words);
        let call = call.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = call.spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(text(&output.stderr), "", "{words:?}");
        assert!(output.status.success(), "{words:?}: {}", output.status);
    }
}
