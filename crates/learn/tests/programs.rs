//! `cargo learn run`, `try`, `bench`, `doctor` and `book`, with fake versions
//! of cargo and mdBook.

mod scene;

use scene::{CommandOutput, Scene};

/// A fake cargo that records its calls.
const CARGO: &str = r#"
echo "$1 $RUNGRAD_DEVICE: $*" >> $SCENE/calls
[ "$1 $3" = "run --example" ] && echo "hello from $4"
exit 0
"#;

fn with_examples() -> Scene {
    let scene = Scene::new();
    scene.program("cargo", CARGO);
    for (file, text) in [
        ("part1_b.rs", "//! The second.\n//!\n//! More.\n"),
        ("part1_a.rs", "//! The first.\nfn main() {}\n"),
        ("part2_c.rs", "//! A kernel\n//! alone. It\n//! runs.\n"),
        ("part2_d.rs", "//! Runs.\nfn main() { rungrad::run(work) }\n"),
        ("part3_mine.rs", "//! Mine.\nfn main() { Device::register(&M); }\n"),
        ("other/main.rs", "//! The other.\n"),
        ("other/parse.rs", "//! No example.\n"),
    ] {
        scene.write(&format!("examples/{file}"), text);
    }
    scene
}

fn recorded_calls(scene: &Scene) -> Vec<String> {
    let calls = scene.read("calls");
    let runs = calls.lines().filter(|line| line.starts_with("run "));
    runs.map(str::to_string).collect()
}

#[test]
fn examples_are_listed_by_part_with_their_first_sentence() {
    let said = with_examples().learn(&["run"]);
    said.succeeds()
        .prints("part1 arrays on the CPU\n  part1_a  The first.\n")
        .prints("  part1_b  The second.\n\npart2 raw OpenCL\n")
        .prints("  part2_c  A kernel alone.\n")
        .prints("others\n  other  The other.\n");
    assert!(!said.out.contains("parse"), "{}", said.out);
}

#[test]
fn a_failing_example_does_not_stop_the_others() {
    let scene = with_examples();
    let said = scene.learn(&["run", "part1"]);
    said.succeeds().prints("hello from part1_a").prints("hello from part1_b");
    let order: Vec<bool> = recorded_calls(&scene)
        .iter()
        .map(|line| line.contains("part1_a"))
        .collect();
    assert_eq!(order, [true, false]);
    let fails = "[ \"$1$4\" = runpart1_a ] && exit 3\n";
    scene.program("cargo", &CARGO.replace("exit 0", &format!("{fails}exit 0")));
    let said = scene.learn(&["run", "part1"]);
    said.prints("hello from part1_b");
    said.fails_with(1, &["1 of 2 examples failed: part1_a"]);
}

/// Promise: `cargo learn run --device` passes a reader's device name to the
/// example that registers it.
#[test]
fn arguments_are_passed_to_the_example() {
    for (words, device, passed_on) in [
        ("part2_c --device gpu:1 -- --n 7", "gpu:1", "-- --n 7"),
        ("part2_c --show -- 7", "", "-- 7 --show"),
        (
            "part2_d --trace a.json --timeline -- 7",
            "",
            "-- 7 --timeline --trace a.json",
        ),
        ("part1_a --trace a.json", "", "--"),
        ("part2_c --device fused", "fused", "--"),
        ("part2_c --device fused:1", "fused:1", "--"),
        ("part2_c --device fused:cpu", "fused:cpu", "--"),
        ("part2_c --device plain:0", "plain:0", "--"),
        ("part2_c --device plain:cpu", "plain:cpu", "--"),
        ("part3_mine --device mine", "mine", "--"),
    ] {
        let scene = with_examples();
        let words: Vec<&str> =
            ["run"].into_iter().chain(words.split(' ')).collect();
        let said = scene.learn(&words);
        said.succeeds();
        let runs = recorded_calls(&scene);
        assert_eq!(runs.len(), 1);
        assert!(runs[0].starts_with(&format!("run {device}: ")), "{runs:?}");
        assert!(runs[0].ends_with(&format!(" {passed_on}")), "{runs:?}");
        let has_none = words[1] == "part1_a" && words[2] == "--trace";
        assert_eq!(said.out.contains("has no timeline"), has_none);
    }
}

#[test]
fn wrong_arguments_are_rejected_before_the_build() {
    let scene = with_examples();
    let traces = ["--trace is for one example", "part1 has 2"];
    let own = ["part1_a has no device \"mine\"", "Device::register"];
    scene.learn(&["run", "part1", "--trace", "a.json"]).fails_with(2, &traces);
    scene.learn(&["run", "part1_a", "--device", "mine"]).fails_with(2, &own);
    let all =
        ["\"par2\"", "did you mean part2?", "`cargo learn run` lists all"];
    scene.learn(&["run", "par2"]).fails_with(2, &all);
    for device in ["tpu", "gpu:", "gpu:x", "gpu:-1", "fused:x", "CPU", ""] {
        let said = scene.learn(&["run", "part1", "--device", device]);
        said.fails_with(2, &["cpu, gpu or gpu:1", &format!("{device:?}")]);
    }
    for (name, device) in [("part1_a", "gpu"), ("part1", "fused:cpu")] {
        let said = scene.learn(&["run", name, "--device", device]);
        said.fails_with(2, &["part1_a cannot use --device", "on the CPU"]);
    }
    for device in ["gpu:x", ""] {
        let said = scene.learn(&["run", "part3_mine", "--device", device]);
        said.fails_with(2, &[&format!("no device {device:?}")]);
    }
    assert_eq!(scene.read("calls"), "");
}

/// The exit code of a benchmark says whether something became slower.
#[test]
fn the_exit_code_of_a_program_is_passed_on() {
    let scene = with_examples();
    for (ends, code) in [("exit 3", 3), ("kill -SEGV $$", 128 + 11)] {
        scene.program("cargo", &format!("[ $1 = build ] || {ends}"));
        for words in [&["run", "part1_a"][..], &["bench", "--quick"]] {
            let said = scene.learn(words);
            assert_eq!((said.code, said.err.as_str()), (Some(code), ""));
        }
    }
    scene.program("cargo", "echo noise; echo 'error[E0308]: no' >&2; exit 101");
    let said = scene.learn(&["run", "part1_a"]);
    said.prints("error[E0308]: no");
    said.fails_with(1, &["part1_a", "target/learn-logs/example-part1_a.log"]);
    assert!(!said.out.contains("noise"), "{}", said.out);
}

/// The first command that the welcome suggests is `try`, so it must not wait for
/// OpenCL.
///
/// Promise: `cargo learn try` compiles only Part 1 until a different engine is
/// named.
#[test]
fn try_and_bench_pass_arguments_to_the_right_build() {
    let light =
        "--quiet --package tools --bin expression --no-default-features";
    let full = "--quiet --package tools --bin expression --manifest-path";
    let fast = "--quiet --release --package tools --bin bench";
    for (words, build) in [
        (&["try", "(a*b)*b", "a=2,3"][..], light),
        (&["try", "a*b", "--engine", "part1"], light),
        (&["try", "a*b", "--engine"], light),
        (&["try", "a*b", "--engine", "part2"], full),
        (&["try", "a*b", "--engine", "part3", "--device", "gpu"], full),
        (&["bench", "multiply 1", "--device", "gpu", "--quick"], fast),
    ] {
        let scene = with_examples();
        scene.learn(words).succeeds();
        let runs = recorded_calls(&scene);
        assert!(runs[0].contains(&format!("run {build} ")), "{runs:?}");
        let passed_on = format!("-- {}", words[1..].join(" "));
        assert!(runs[0].ends_with(&passed_on), "{runs:?}");
    }
    let scene = with_examples();
    let said = scene.learn(&["try"]);
    assert_eq!(said.code, Some(2));
    said.prints("cargo learn try \"EXPR\"");
    let said = scene.learn(&["help", "bench"]);
    said.succeeds().prints("--baseline FILE").prints("RUNGRAD_PYTHON");
    assert_eq!(scene.read("calls"), "");
}

/// Returns a checkout whose fake cargo runs the program `devices` and prints
/// `run` for its `--run`.
fn with_a_device(run: &str) -> Scene {
    let scene = Scene::new();
    scene.program("rustc", "echo rustc 1.95.0");
    let cargo = format!(
        "case \"$*\" in\n\
         *'-- --run') {run} ;;\n\
         *' --') echo warning; echo 'gpu:0  X  PoCL  CPU' ;;\nesac\n"
    );
    scene.program("cargo", &cargo);
    scene
}

#[test]
fn the_doctor_survives_a_crashing_driver() {
    let ran = r"printf 'cache\t/c/kcache\ngpu:0\tran\n'";
    let said = with_a_device(ran).learn(&["doctor"]);
    said.succeeds()
        .prints("devices       gpu:0  X  PoCL  CPU\n")
        .prints("kernel cache  /c/kcache\n")
        .prints("a kernel      compiled and run on gpu:0")
        .prints("part 2        everything");
    let why = r"printf 'gpu:0\tDelete the folder /c/kcache.\n'";
    for (run, told) in [
        (why, "does not run on gpu:0. Delete the folder /c/kcache."),
        ("echo boom >&2; exit 134", "ended with code 134 (boom)"),
    ] {
        let said = with_a_device(run).learn(&["doctor"]);
        said.succeeds().prints(told);
        said.prints(
            "part 2        you can read it, until a device runs kernels",
        );
    }
    let scene = with_a_device("");
    scene.program("cargo", "[ $1 = build ] || { echo boom >&2; exit 139; }");
    let said = scene.learn(&["doctor"]);
    said.succeeds().prints("ended with code 139").prints("boom");
    said.prints("running it needs an OpenCL device").prints("Next: ");
}

#[test]
fn the_doctor_queries_no_missing_driver() {
    if cfg!(target_os = "macos") {
        return; // macOS ships with a driver.
    }
    let scene = Scene::new();
    std::fs::remove_file(scene.root.join("vendors/some.icd")).unwrap();
    scene.program("rustc", "echo rustc 1.95.0");
    scene.program("cargo", CARGO);
    let said = scene.learn(&["doctor"]);
    said.succeeds()
        .prints("drivers       none in ")
        .prints("no driver lists any");
    assert_eq!(scene.read("calls"), "");
    // In a container, a variable may name the drivers.
    let mut command = scene.command(&["doctor"]);
    let two = "libpocl.so.2:libnvidia-opencl.so.1";
    let said = CommandOutput::from(command.env("OCL_ICD_FILENAMES", two));
    said.succeeds().prints("drivers       libnvidia-opencl.so.1, libpocl.so.2");
    assert_ne!(scene.read("calls"), "");
}

#[test]
fn the_doctor_fails_only_for_an_unusable_toolchain() {
    let scene = Scene::new();
    scene.program("cargo", CARGO);
    scene.write("Cargo.toml", "rust-version = \"1.95\"\n");
    scene.program("rustc", "echo rustc 1.60.0");
    scene.learn(&["doctor"]).fails_with(1, &["1.60.0", "rustup update"]);
}

#[test]
fn the_book_is_built_by_the_pinned_mdbook() {
    let scene = Scene::new();
    let refuses = "echo 'warning: spurious network error' >&2; exit 101";
    scene.program("cargo", refuses);
    scene.program("mdbook", "echo mdbook v0.4.52");
    let said = scene.learn(&["book", "--build"]);
    said.fails_with(1, &["could not reach the package registry", "connection"]);
    scene.program_at(
        "target/tools/bin/mdbook",
        "echo mdbook v0.5.4; echo \"$@\" >> $SCENE/mdbook",
    );
    let said = scene.learn(&["book", "--build"]);
    said.succeeds().prints("target/book/index.html");
    assert!(scene.read("mdbook").contains("build"));
}
