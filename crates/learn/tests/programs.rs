//! `cargo learn run`, `try`, `doctor` and `book`, against a cargo and an
//! mdBook that only pretend.

mod scene;

use scene::{Said, Scene};

/// A cargo that keeps a record of what it should run.
const CARGO: &str = r#"
echo "$1 $RUNGRAD_DEVICE: $*" >> $SCENE/calls
[ "$1 $3" = "run --example" ] && echo "hello from $4"
exit 0
"#;

fn with_examples() -> Scene {
    let scene = Scene::new();
    scene.program("cargo", CARGO);
    scene.write("examples/part1_b.rs", "//! The second.\n//!\n//! More.\n");
    scene.write("examples/part1_a.rs", "//! The first.\nfn main() {}\n");
    scene.write(
        "examples/part2_c.rs",
        "//! A kernel\n//! alone. It\n//! runs.\n",
    );
    scene.write("examples/other/main.rs", "//! The other.\n");
    scene.write("examples/other/parse.rs", "//! No example.\n");
    scene
}

fn runs(scene: &Scene) -> Vec<String> {
    let calls = scene.read("calls");
    let runs = calls.lines().filter(|line| line.starts_with("run "));
    runs.map(str::to_string).collect()
}

#[test]
fn examples_are_listed_by_part_with_their_first_sentence() {
    let said = with_examples().learn(&["run"]);
    said.went_well()
        .tells("part1 arrays on the CPU\n  part1_a  The first.\n")
        .tells("  part1_b  The second.\n\npart2 raw OpenCL\n")
        .tells("  part2_c  A kernel alone.\n")
        .tells("others\n  other  The other.\n");
    assert!(!said.out.contains("parse"), "{}", said.out);
}

#[test]
fn a_part_runs_its_examples_in_the_order_of_the_list() {
    let scene = with_examples();
    let said = scene.learn(&["run", "part1"]);
    said.went_well().tells("hello from part1_a").tells("hello from part1_b");
    let order: Vec<bool> =
        runs(&scene).iter().map(|line| line.contains("part1_a")).collect();
    assert_eq!(order, [true, false]);
}

#[test]
fn an_example_that_fails_keeps_nobody_from_the_others() {
    let scene = with_examples();
    let fails = "[ \"$1$4\" = runpart1_a ] && exit 3\n";
    scene.program("cargo", &CARGO.replace("exit 0", &format!("{fails}exit 0")));
    let said = scene.learn(&["run", "part1"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    said.tells("hello from part1_b");
    let told = format!("{}{}", said.out, said.err);
    assert!(told.contains("1 of 2 examples failed: part1_a"), "{told}");
}

#[test]
fn the_device_and_the_words_after_the_dashes_go_to_the_example() {
    let scene = with_examples();
    let words = ["run", "part2_c", "--device", "gpu:1", "--", "--n", "7"];
    scene.learn(&words).went_well();
    let runs = runs(&scene);
    assert_eq!(runs.len(), 1);
    assert!(runs[0].starts_with("run gpu:1: "), "{runs:?}");
    assert!(runs[0].ends_with("-- --n 7"), "{runs:?}");
}

#[test]
fn a_question_for_kernels_goes_to_the_example() {
    let scene = with_examples();
    scene.learn(&["run", "part2_c", "--show", "--", "7"]).went_well();
    let runs = runs(&scene);
    assert!(runs[0].ends_with("-- 7 --show"), "{runs:?}");
}

#[test]
fn timeline_and_trace_go_to_the_example_behind_its_own_words() {
    let scene = with_examples();
    let main = "//! Runs.\nfn main() { rungrad::run(work) }\n";
    scene.write("examples/part2_d.rs", main);
    let words = ["run", "part2_d", "--trace", "a.json", "--timeline"];
    let words = [&words[..], &["--", "7"]].concat();
    scene.learn(&words).went_well();
    let runs = runs(&scene);
    assert!(runs[0].ends_with("-- 7 --timeline --trace a.json"), "{runs:?}");
}

#[test]
fn an_example_that_asks_for_no_device_has_no_timeline() {
    let scene = with_examples();
    let said = scene.learn(&["run", "part1_a", "--trace", "a.json"]);
    said.went_well().tells("part1_a asks this crate for no device");
    assert!(runs(&scene)[0].ends_with(" --"), "{:?}", runs(&scene));
}

#[test]
fn a_trace_is_of_one_example() {
    let scene = with_examples();
    let said = scene.learn(&["run", "part1", "--trace", "a.json"]);
    said.stopped(2, &["--trace is for one example", "part1 has 2"]);
    assert_eq!(scene.read("calls"), "");
    scene.learn(&["run", "part1", "--timeline"]).went_well();
}

#[test]
fn an_unknown_part_names_the_nearest_and_what_lists_all() {
    let said = with_examples().learn(&["run", "par2"]);
    let all = "`cargo learn run` lists all";
    said.stopped(2, &["\"par2\"", "the nearest is part2", all]);
}

#[test]
fn a_device_that_cannot_be_is_refused_before_anything_is_built() {
    let scene = with_examples();
    for device in ["tpu", "gpu:", "gpu:x", "gpu:-1", "fused:x", "CPU", ""] {
        let said = scene.learn(&["run", "part1", "--device", device]);
        said.stopped(2, &["cpu, gpu or gpu:1", &format!("{device:?}")]);
    }
    assert_eq!(scene.read("calls"), "");
}

#[test]
fn a_lazy_device_goes_to_every_example() {
    let scene = with_examples();
    for device in ["fused", "fused:1", "fused:cpu"] {
        scene.learn(&["run", "part1_a", "--device", device]).went_well();
        let last = runs(&scene).pop().unwrap_or_default();
        assert!(last.starts_with(&format!("run {device}: ")), "{last}");
    }
}

/// Promise: `cargo learn run --device` passes a reader's device name to the
/// example that registers it.
#[test]
fn a_device_of_a_reader_goes_to_the_example_that_makes_it() {
    let scene = with_examples();
    let main = "//! Runs.\nfn main() { Device::register(&MINE); }\n";
    scene.write("examples/part3_mine.rs", main);
    let run = |words: [&str; 2]| {
        scene.learn(&["run", words[0], "--device", words[1]])
    };
    run(["part3_mine", "mine"]).went_well();
    assert!(runs(&scene)[0].starts_with("run mine: "), "{:?}", runs(&scene));
    let words = ["part1_a has no device \"mine\"", "Device::register"];
    run(["part1_a", "mine"]).stopped(2, &words);
    run(["part3_mine", "gpu:x"]).stopped(2, &["no device \"gpu:x\""]);
    run(["part3_mine", ""]).stopped(2, &["no device \"\""]);
    assert_eq!(runs(&scene).len(), 1);
}

#[test]
fn an_example_s_exit_code_is_ours() {
    let scene = with_examples();
    scene.program("cargo", "[ $1 = build ] || exit 3");
    let said = scene.learn(&["run", "part1_a"]);
    assert_eq!((said.code, said.err.as_str()), (Some(3), ""));
    scene.program("cargo", "[ $1 = build ] || kill -SEGV $$");
    assert_eq!(scene.learn(&["run", "part1_a"]).code, Some(128 + 11));
}

#[test]
fn an_example_that_does_not_compile_shows_the_error_and_the_log() {
    let scene = with_examples();
    scene.program("cargo", "echo noise; echo 'error[E0308]: no' >&2; exit 101");
    let said = scene.learn(&["run", "part1_a"]);
    said.tells("error[E0308]: no");
    said.stopped(1, &["part1_a", "target/learn-logs/example-part1_a.log"]);
    assert!(!said.out.contains("noise"), "{}", said.out);
}

#[test]
fn try_hands_its_words_to_the_bench_as_they_are() {
    let scene = with_examples();
    let words = ["try", "(a*b)*b", "a=2,3", "b=3,4", "--engine", "part9"];
    scene.learn(&words).went_well();
    let calls = runs(&scene);
    let bench = "run --quiet --package tools --bin expression ";
    assert!(calls[0].contains(bench), "{calls:?}");
    assert!(calls[0].ends_with("-- (a*b)*b a=2,3 b=3,4 --engine part9"));
}

/// The first that the welcome suggests: it must not wait for OpenCL.
///
/// Promise: `cargo learn try` compiles only Part 1 until a different engine is
/// named.
#[test]
fn try_compiles_part_1_alone_until_another_engine_is_named() {
    let built = |words: &[&str]| {
        let scene = with_examples();
        scene.learn(&[&["try", "a*b", "a=2"], words].concat()).went_well();
        let calls = scene.read("calls");
        calls.lines().all(|line| line.contains("--no-default-features"))
    };
    assert!(built(&[]));
    assert!(built(&["--engine", "part1"]));
    assert!(built(&["--engine"]));
    assert!(!built(&["--engine", "part2"]));
    assert!(!built(&["--engine", "part3", "--device", "gpu"]));
}

#[test]
fn try_without_words_is_its_page() {
    let scene = with_examples();
    let said = scene.learn(&["try"]);
    assert_eq!(said.code, Some(2));
    said.tells("cargo learn try \"EXPR\"");
}

#[test]
fn bench_is_built_to_be_fast_and_gets_its_words_as_they_are() {
    let scene = with_examples();
    let words = ["bench", "multiply 1", "--device", "gpu", "--quick"];
    scene.learn(&words).went_well();
    let calls = runs(&scene);
    let bench = "run --quiet --release --package tools --bin bench ";
    assert!(calls[0].contains(bench), "{calls:?}");
    assert!(calls[0].ends_with("-- multiply 1 --device gpu --quick"));
    let built = scene.read("calls");
    assert!(built.contains("build --release --package tools --bin bench"));
}

#[test]
fn the_help_of_bench_is_that_of_its_program() {
    let scene = with_examples();
    let said = scene.learn(&["help", "bench"]);
    said.went_well().tells("--baseline FILE").tells("RUNGRAD_PYTHON");
    assert_eq!(scene.read("calls"), "");
}

/// What the bench found slower is its verdict, and its code is ours.
#[test]
fn what_got_slower_is_code_1() {
    let scene = with_examples();
    scene.program("cargo", "[ $1 = build ] || { echo slower; exit 1; }");
    let said = scene.learn(&["bench", "--baseline", "old.json"]);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    said.tells("slower");
}

#[test]
fn the_doctor_survives_a_driver_that_crashes() {
    let scene = Scene::new();
    scene.program("rustc", "echo rustc 1.95.0");
    scene.program("cargo", "[ $1 = build ] || { echo boom >&2; exit 139; }");
    let said = scene.learn(&["doctor"]);
    said.went_well().tells("ended with code 139").tells("boom");
    said.tells("running it needs an OpenCL device").tells("Next: ");
}

/// A cargo that runs the program `devices`, with what its `--run` prints.
fn with_a_device(run: &str) -> Scene {
    let scene = Scene::new();
    scene.program("rustc", "echo rustc 1.95.0");
    let cargo = format!(
        "case \"$*\" in\n\
         *'-- --porcelain') printf 'gpu:0\\tX\\tPoCL\\tCPU\\t2\\t1024\\n' ;;\n\
         *'-- --run') {run} ;;\nesac\n"
    );
    scene.program("cargo", &cargo);
    scene
}

#[test]
fn the_doctor_runs_a_kernel_and_names_the_cache() {
    let scene = with_a_device(r"printf 'cache\t/c/kcache\ngpu:0\tran\n'");
    let said = scene.learn(&["doctor"]);
    said.went_well()
        .tells("kernel cache  /c/kcache\n")
        .tells("a kernel      compiled and run on gpu:0")
        .tells("part 2        everything");
}

#[test]
fn the_doctor_says_what_to_do_where_no_kernel_runs() {
    let why = r"printf 'gpu:0\tDelete the folder /c/kcache.\n'";
    let scene = with_a_device(why);
    let said = scene.learn(&["doctor"]);
    said.went_well()
        .tells("does not run on gpu:0. Delete the folder /c/kcache.")
        .tells("part 2        its text, until the device runs kernels");
    let crashes = with_a_device("echo boom >&2; exit 134");
    let said = crashes.learn(&["doctor"]);
    said.went_well().tells("ended with code 134").tells("boom");
    said.tells("part 2        its text, until the device runs kernels");
}

#[test]
fn the_doctor_asks_no_driver_when_there_is_none() {
    if cfg!(target_os = "macos") {
        return; // The system brings its own driver there.
    }
    let scene = Scene::new();
    std::fs::remove_file(scene.root.join("vendors/some.icd")).unwrap();
    scene.program("rustc", "echo rustc 1.95.0");
    scene.program("cargo", CARGO);
    let said = scene.learn(&["doctor"]);
    said.went_well().tells("drivers       none in ").tells("no driver to ask");
    assert_eq!(scene.read("calls"), "");
    // A container has no files, perhaps, and a variable that names them.
    let mut command = scene.command(&["doctor"]);
    let two = "libpocl.so.2:libnvidia-opencl.so.1";
    let said = Said::by(command.env("OCL_ICD_FILENAMES", two));
    said.went_well().tells("drivers       libnvidia-opencl.so.1, libpocl.so.2");
    assert_ne!(scene.read("calls"), "");
}

#[test]
fn the_doctor_s_only_failure_is_a_toolchain_that_cannot_work() {
    let scene = Scene::new();
    scene.program("cargo", CARGO);
    scene.write("Cargo.toml", "rust-version = \"1.95\"\n");
    scene.program("rustc", "echo rustc 1.60.0");
    scene.learn(&["doctor"]).stopped(1, &["1.60.0", "rustup update"]);
}

#[test]
fn the_book_is_built_by_the_pinned_mdbook() {
    let scene = Scene::new();
    scene.program("cargo", "touch $SCENE/installed; exit 1");
    scene.program_at(
        "target/tools/bin/mdbook",
        "echo mdbook v0.5.4; echo \"$@\" >> $SCENE/mdbook",
    );
    let said = scene.learn(&["book", "--build"]);
    said.went_well().tells("target/book/index.html");
    assert!(scene.read("mdbook").contains("build"));
    assert!(!scene.root.join("installed").exists());
}

#[test]
fn without_a_network_there_is_no_mdbook_and_one_sentence() {
    let scene = Scene::new();
    let refuses = "echo 'warning: spurious network error' >&2; exit 101";
    scene.program("cargo", refuses);
    scene.program("mdbook", "echo mdbook v0.4.52");
    let said = scene.learn(&["book", "--build"]);
    said.stopped(1, &["could not reach the package registry", "connection"]);
}
