//! `cargo xtask test`, with a fake cargo.

#[path = "../../learn/tests/scene/mod.rs"]
mod scene;

use std::process::Stdio;

use learn::examples::LIGHT_CONFIG;
use scene::{CommandOutput, Scene, wait_for_text, wait_until_gone};

/// The output of `cargo test` with one skipped and one ignored test.
const GREEN: &str = "
     Running unittests src/lib.rs (target/debug/deps/rungrad-0a)
test one ... ok
test long ... ignored, slow: 40 s, all tiles
test result: ok. 11 passed; 0 failed; 1 ignored; 0 measured
     Running tests/part2_gpu.rs (target/debug/deps/part2_gpu-0b)
SKIPPED part::mul_on_the_device: no OpenCL driver
test part::mul_on_the_device ... ok
SKIPPED part::sum_on_the_device: no OpenCL driver
test part::sum_on_the_device ... ok
test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured
";

const RED: &str = "
     Running unittests src/lib.rs (target/debug/deps/rungrad-0a)
test one ... FAILED
failures:
---- one stdout ----
left is not right
test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured
error: 1 target failed:
";

/// A fake cargo whose builds and exercises pass. The tests of the longest
/// program print the file `log`, and the tests of the companion the file `own`.
const CARGO: &str = "
echo \"$*:$POCL_EXTRA_BUILD_FLAGS\" >> $SCENE/calls
case \"$*\" in
  *--no-run*) ;;
  test*part3_unified*) cat $SCENE/log; ! grep -q FAILED $SCENE/log ;;
  test*'--package learn'*) cat $SCENE/own; ! grep -q FAILED $SCENE/own ;;
  xtask*) echo '7 passed, 0 failed, 0 skipped' ;;
esac";

/// A checkout whose book, spelling and cargo pass.
fn healthy(tests: &str) -> Scene {
    let scene = Scene::new();
    scene.write("log", tests);
    scene.write("own", "");
    for file in ["a.rs", "z/main.rs", "part3_unified/main.rs", "common/mod.rs"]
    {
        scene.write(&format!("tests/{file}"), "");
    }
    scene.program("cargo", CARGO);
    scene.program("codespell", "exit 0");
    scene.program_at("target/tools/bin/mdbook", "echo mdbook v0.5.4");
    scene
}

fn last_line(said: &CommandOutput) -> &str {
    said.out.lines().last().unwrap_or_default()
}

#[test]
fn a_healthy_checkout_prints_a_table_and_counts() {
    let said = healthy(GREEN).xtask(&["test"]);
    said.succeeds()
        .prints("tests      ok           13       0        1        2")
        .prints(
            "SKIPPED, and why:\n  part::mul_on_the_device: no OpenCL driver\n",
        )
        .prints("1 slow tests were ignored; cargo learn test --all runs them");
    // Thirteen tests, seven for the exercises, and one for each of the six
    // other steps.
    assert_eq!(last_line(&said), "26 passed, 0 failed, 2 skipped");
    assert!(!said.out.contains("test one ... ok"), "{}", said.out);
}

/// Promise: Each test of the workspace runs once in `cargo learn test`; the fast
/// tier is the default, and `--all` adds the slow one.
#[test]
fn every_test_is_in_one_row_and_all_adds_the_slow_ones() {
    let scene = healthy(GREEN);
    let run = |words: &[&str]| {
        scene.write("calls", "");
        scene.xtask(words).succeeds();
        let calls = scene.read("calls");
        let calls = calls.lines().filter(|it| !it.contains("--no-run"));
        let mut calls: Vec<String> = calls.map(str::to_string).collect();
        calls.sort();
        calls
    };
    let plain = ":-cl-opt-disable";
    let light = LIGHT_CONFIG.join(" ");
    let rows = [
        ("learn".to_string(), ":"),
        ("rungrad --doc".to_string(), plain),
        (format!("rungrad --lib {light}"), plain),
        ("rungrad --test a --test z".to_string(), plain),
        ("rungrad --test part3_unified".to_string(), plain),
    ];
    let expected = |ignored: &str| {
        let mut expected: Vec<String> = rows
            .iter()
            .map(|(row, plain)| {
                let ignored = if row.ends_with("doc") { "" } else { ignored };
                format!("test --no-fail-fast --package {row}{ignored}{plain}")
            })
            .collect();
        let others = "--workspace --exclude rungrad --exclude learn";
        expected.push(format!("test --no-fail-fast {others}{ignored}:"));
        expected
    };
    let only = ["test", "--only", "tests"];
    assert_eq!(run(&only), expected(""));
    let all = [&only[..], &["--all"]].concat();
    assert_eq!(run(&all), expected(" -- --include-ignored"));
    let verify =
        |words: &[&str]| run(&[&["test", "--only", "verify"], words].concat());
    assert_eq!(verify(&[]), [format!("xtask verify --sample{plain}")]);
    assert_eq!(verify(&["--all"]), [format!("xtask verify{plain}")]);
}

/// Promise: The summary of `cargo learn test` counts every test, including the
/// companion's, and a failure does not stop the other steps.
#[test]
fn a_failing_test_is_reported_and_the_other_steps_still_run() {
    let scene = healthy(GREEN);
    scene.write("own", RED);
    let said = scene.xtask(&["test"]);
    assert_eq!(said.code, Some(1));
    said.prints("FAILED:\n  src/lib.rs: one\n").prints("left is not right");
    said.prints("target/learn-logs/tests.log").prints("spelling   ok");
    assert_eq!(last_line(&said), "30 passed, 1 failed, 2 skipped");
}

/// Promise: A step that runs nothing fails.
#[test]
fn a_step_fails_if_it_runs_nothing_or_prints_a_complaint() {
    let book = "echo mdbook v0.5.4
        [ $1 = build ] && echo 'ERROR Could not read file for link' >&2
        exit 0";
    for (step, cargo, complaint) in [
        ("tests", "exit 0", "cargo test has run nothing"),
        ("tests", "echo could not compile; exit 101", "could not compile"),
        ("verify", "exit 0", "cargo xtask verify has run nothing"),
        ("format", "echo Diff in lib.rs; exit 1", "Diff in lib.rs"),
        ("book", "", "Could not read file for link"),
    ] {
        let scene = healthy("");
        scene.program("cargo", cargo);
        scene.program_at("target/tools/bin/mdbook", book);
        let said = scene.xtask(&["test", "--only", step]);
        assert_eq!(said.code, Some(1), "{step}");
        said.prints(complaint);
        assert_eq!(last_line(&said), "0 passed, 1 failed, 0 skipped");
    }
}

#[test]
fn a_missing_spell_checker_counts_as_skipped() {
    let scene = healthy(GREEN);
    std::fs::remove_file(scene.root.join("bin/codespell")).unwrap();
    let said = scene.xtask(&["test", "--only", "spelling"]);
    said.succeeds().prints("spelling: codespell is not installed");
    assert_eq!(last_line(&said), "0 passed, 0 failed, 1 skipped");
}

/// Promise: A summary shows failures before successes.
#[test]
fn failing_exercises_are_counted_and_shown_first() {
    let scene = healthy(GREEN);
    let script = "
        for row in $(seq 60); do echo \"exercise_$row  yes\"; done
        echo 'SKIPPED verify mul_kernel: no OpenCL driver'
        echo 'FAILED mul_rule: the solution should pass'
        echo '4 passed, 1 failed, 6 skipped'
        exit 1";
    scene.program("cargo", script);
    let said = scene.xtask(&["test", "--only", "verify"]);
    assert_eq!(said.code, Some(1));
    said.prints("with code 1\n  | FAILED mul_rule: the solution should pass\n")
        .prints("FAILED:\n  mul_rule: the solution should pass\n")
        .prints("  verify mul_kernel: no OpenCL driver\n");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 6 skipped");
}

#[test]
fn wrong_arguments_are_rejected_with_the_valid_ones() {
    let scene = healthy(GREEN);
    let said = scene.xtask(&["test", "--only", "format!"]);
    said.fails_with(2, &["\"format!\"", "format, lints, book"]);
    let said = scene.xtask(&["test", "--limit", "soon"]);
    said.fails_with(2, &["--limit", "\"soon\"", "seconds"]);
}

/// Promise: A step that hangs is killed with every process that it started, and
/// no such process outlives `cargo learn test`.
#[test]
fn a_hanging_step_is_killed_with_its_children() {
    let scene = healthy(GREEN);
    let script = "sleep 600 & echo $! > $SCENE/grandchild; wait";
    scene.program("cargo", script);
    // Long enough for the step to start on a busy machine.
    let said = scene.xtask(&["test", "--only", "tests", "--limit", "5"]);
    assert_eq!(said.code, Some(1));
    said.prints("did not end within 5.0 s and was stopped");
    wait_until_gone(&wait_for_text(&scene.root.join("grandchild")));

    std::fs::remove_file(scene.root.join("grandchild")).unwrap();
    let mut command = scene.command(&["test", "--only", "tests"]);
    let mut xtask = command.stdout(Stdio::null()).spawn().unwrap();
    let grandchild = wait_for_text(&scene.root.join("grandchild"));
    xtask.kill().unwrap();
    xtask.wait().unwrap();
    wait_until_gone(&grandchild);
}
