//! `cargo xtask test`, against a cargo that only pretends to test.

#[path = "../../learn/tests/scene/mod.rs"]
mod scene;

use std::path::Path;
use std::process::{Command, Stdio};

use scene::{Said, Scene, appears, is_gone};

/// What `cargo test` might print when everything is well but for one skip.
const GREEN: &str = "
     Running unittests src/lib.rs (target/debug/deps/rungrad-0a)
test one ... ok
test long ... ignored, slow: 40 s, all tiles
test result: ok. 11 passed; 0 failed; 1 ignored; 0 measured
     Running tests/part2_gpu.rs (target/debug/deps/part2_gpu-0b)
SKIPPED mul_on_the_device: no OpenCL driver
test mul_on_the_device ... ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured
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

/// A cargo whose tests say what the stage wants, and whose exercises hold.
/// Before them it builds, and beside them run those of the other packages.
const CARGO: &str = "
case \"$*\" in
  *--no-run*|*--lib*|*--doc|*'--exclude learn'|*'--package learn') ;;
  test*) cat $SCENE/log ;;
  xtask*) echo '7 passed, 0 failed, 0 skipped' ;;
esac";

/// A checkout whose book, spelling and cargo are well.
fn healthy(tests: &str) -> Scene {
    let scene = Scene::new();
    scene.write("log", tests);
    scene.program("cargo", CARGO);
    scene.program("codespell", "exit 0");
    scene.program_at("target/tools/bin/mdbook", "echo mdbook v0.5.4");
    scene
}

fn last_line(said: &Said) -> &str {
    said.out.lines().last().unwrap_or_default()
}

#[test]
fn a_healthy_checkout_ends_with_a_table_and_a_line_of_counts() {
    let scene = healthy(GREEN);
    let said = scene.xtask(&["test"]);
    said.went_well()
        .tells("tests      ok           13       0        1        1")
        .tells("1 slow tests were ignored; cargo learn test --all runs them");
    // Thirteen tests, seven for the exercises, and one for each of the five
    // steps beside them.
    assert_eq!(last_line(&said), "25 passed, 0 failed, 1 skipped");
}

/// PoCL's optimizer takes most of the time of a cold run.
///
/// Promise: `cargo learn test` runs the fast tier, and `--all` adds the slow one.
#[test]
fn all_adds_the_slow_tests_the_other_answers_and_the_optimizer() {
    let scene = healthy(GREEN);
    let script =
        format!("echo \"$*:$POCL_EXTRA_BUILD_FLAGS\" >> $SCENE/calls\n{CARGO}");
    scene.program("cargo", &script);
    let run = |words: &[&str], row: &str| {
        scene.write("calls", "");
        scene.xtask(words).went_well();
        let calls = scene.read("calls");
        let is_its = |it: &&str| it.contains(row) && !it.contains("--no-run");
        let mut lines = calls.lines().filter(is_its);
        lines.next_back().unwrap_or_else(|| panic!("{calls}")).to_string()
    };
    let plain = ":-cl-opt-disable";
    for (row, is_plain) in [
        ("--test *", true),
        ("opt-level=0", true),
        ("--package learn", false),
        ("--exclude learn", false),
    ] {
        let fast = run(&["test"], row);
        assert!(!fast.contains("--include-ignored"), "{fast}");
        assert_eq!(fast.ends_with(plain), is_plain, "{fast}");
        let all = run(&["test", "--all"], row);
        assert!(all.ends_with("-- --include-ignored:"), "{all}");
    }
    let docs = run(&["test", "--all"], "--doc");
    assert!(!docs.contains("--include-ignored"), "{docs}");
    assert!(run(&["test"], "verify").contains("verify --sample"));
    assert!(!run(&["test", "--all"], "verify").contains("--sample"));
}

/// Two programs of the crate's own run beside each other.
#[test]
fn the_longest_tests_have_a_row_of_their_own_and_none_is_forgotten() {
    let scene = healthy(GREEN);
    scene.program("cargo", &format!("echo \"$*\" >> $SCENE/calls\n{CARGO}"));
    for file in ["a.rs", "z/main.rs", "part3_unified/main.rs", "common/mod.rs"]
    {
        scene.write(&format!("tests/{file}"), "");
    }
    scene.xtask(&["test", "--only", "tests"]).went_well();
    let calls = scene.read("calls");
    let runs = |row: &str| calls.lines().any(|line| line.ends_with(row));
    assert!(runs("--package rungrad --test part3_unified"), "{calls}");
    assert!(runs("--package rungrad --test a --test z"), "{calls}");
    assert!(!calls.contains("--test common"), "{calls}");
}

#[test]
fn a_skip_is_loud_and_tells_its_reason() {
    let said = healthy(GREEN).xtask(&["test", "--only", "tests"]);
    said.went_well()
        .tells("SKIPPED, and why:\n  mul_on_the_device: no OpenCL driver\n");
}

#[test]
fn a_failing_test_is_counted_and_named_and_the_other_steps_go_on() {
    let scene = healthy(RED);
    scene.program(
        "cargo",
        &CARGO.replace(" ;;\n  xtask", "; exit 101 ;;\n  xtask"),
    );
    let said = scene.xtask(&["test"]);
    assert_eq!(said.code, Some(1));
    said.tells("FAILED:\n  src/lib.rs: one\n").tells("left is not right");
    said.tells("target/learn-logs/tests.log").tells("spelling   ok");
    assert_eq!(last_line(&said), "16 passed, 1 failed, 0 skipped");
}

#[test]
fn a_test_run_that_fails_without_a_failing_test_is_a_failure() {
    let scene = healthy("error: could not compile `rungrad`\n");
    scene.program("cargo", "cat $SCENE/log; exit 101");
    let said = scene.xtask(&["test", "--only", "tests"]);
    assert_eq!(said.code, Some(1));
    said.tells("could not compile");
    assert_eq!(last_line(&said), "0 passed, 1 failed, 0 skipped");
}

/// Promise: The summary of `cargo learn test` counts every test, including the
/// companion's.
#[test]
fn the_companion_s_own_tests_count_beside_the_others() {
    let scene = healthy(GREEN);
    scene.write("own", RED);
    let says = "*'--package learn') cat $SCENE/own; exit 101 ;;";
    let script =
        CARGO.replace("|*'--package learn') ;;", &format!(") ;;\n  {says}"));
    scene.program("cargo", &script);
    let said = scene.xtask(&["test", "--only", "tests"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    said.tells("FAILED:\n  src/lib.rs: one\n").tells("left is not right");
    assert_eq!(last_line(&said), "17 passed, 1 failed, 1 skipped");
}

#[test]
fn each_package_is_in_one_of_the_rows() {
    let scene = healthy(GREEN);
    let note = "test*) echo \"$*\" >>$SCENE/rows; cat $SCENE/log ;;";
    let script = CARGO.replace("test*) cat $SCENE/log ;;", note);
    let script = script
        .replace("|*--lib*|*--doc|*'--exclude learn'|*'--package learn'", "");
    scene.program("cargo", &script);
    let said = scene.xtask(&["test", "--only", "tests"]);
    assert_eq!(last_line(&said), "65 passed, 0 failed, 5 skipped");
    let rows = scene.read("rows");
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort();
    let expected = [
        "test --no-fail-fast --package learn",
        "test --no-fail-fast --package rungrad --doc",
        "test --no-fail-fast --package rungrad --lib --config \
         profile.dev.package.rungrad.opt-level=0",
        "test --no-fail-fast --package rungrad --test *",
        "test --no-fail-fast --workspace --exclude rungrad --exclude learn",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_test_run_without_tests_is_a_failure() {
    let said = healthy("").xtask(&["test", "--only", "tests"]);
    assert_eq!(said.code, Some(1));
    said.tells("no test has run");
}

#[test]
fn a_passing_step_is_folded() {
    let said = healthy(GREEN).xtask(&["test"]);
    assert!(!said.out.contains("test one ... ok"), "{}", said.out);
}

#[test]
fn a_complaint_of_mdbook_fails_the_book() {
    let scene = healthy(GREEN);
    let script = "echo mdbook v0.5.4
        [ $1 = build ] && echo 'ERROR Could not read file for link' >&2
        exit 0";
    scene.program_at("target/tools/bin/mdbook", script);
    let said = scene.xtask(&["test", "--only", "book"]);
    assert_eq!(said.code, Some(1));
    said.tells("Could not read file for link");
    assert_eq!(last_line(&said), "0 passed, 1 failed, 0 skipped");
}

#[test]
fn a_missing_spell_checker_is_a_skip_and_not_a_pass() {
    let scene = healthy(GREEN);
    std::fs::remove_file(scene.root.join("bin/codespell")).unwrap();
    let said = scene.xtask(&["test", "--only", "spelling"]);
    said.went_well().tells("spelling: codespell is not installed");
    assert_eq!(last_line(&said), "0 passed, 0 failed, 1 skipped");
}

#[test]
fn exercises_that_do_not_hold_are_counted_and_named() {
    let scene = healthy(GREEN);
    let script = "
        echo \"$*\" > $SCENE/words
        echo 'SKIPPED verify mul_kernel: no OpenCL driver'
        echo 'FAILED mul_rule: the solution should pass'
        echo '4 passed, 1 failed, 6 skipped'
        exit 1";
    scene.program("cargo", script);
    let said = scene.xtask(&["test", "--only", "verify"]);
    assert_eq!(said.code, Some(1));
    said.tells("FAILED:\n  mul_rule: the solution should pass\n")
        .tells("  verify mul_kernel: no OpenCL driver\n");
    assert_eq!(scene.read("words"), "xtask verify --sample\n");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 6 skipped");
}

/// Promise: A summary shows failures before successes.
#[test]
fn what_does_not_hold_is_shown_before_all_that_holds() {
    let scene = healthy(GREEN);
    let script = "
        for row in $(seq 60); do echo \"exercise_$row  yes\"; done
        echo 'FAILED mul_rule: the solution should pass'
        echo '59 passed, 1 failed, 0 skipped'
        exit 1";
    scene.program("cargo", script);
    let said = scene.xtask(&["test", "--only", "verify"]);
    said.tells("with code 1\n  | FAILED mul_rule: the solution should pass\n");
}

#[test]
fn a_verify_that_proves_nothing_is_a_failure() {
    let scene = healthy(GREEN);
    scene.program("cargo", "exit 0");
    let said = scene.xtask(&["test", "--only", "verify"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(last_line(&said), "0 passed, 1 failed, 0 skipped");
}

#[test]
fn an_unknown_step_names_the_nearest() {
    let said = healthy(GREEN).xtask(&["test", "--only", "format!"]);
    said.stopped(2, &["\"format!\"", "lints, tests"]);
}

/// Promise: A step that hangs is stopped together with every process that it
/// started.
#[test]
fn a_step_that_hangs_is_stopped_with_all_that_it_started() {
    let scene = healthy(GREEN);
    let script = "sleep 600 & echo $! > $SCENE/grandchild; wait";
    scene.program("cargo", script);
    let mut command = scene.command(&["test", "--only", "tests"]);
    // Long enough to see it start, however busy the machine is.
    let said = Said::by(command.env("RUNGRAD_STEP_LIMIT", "5"));
    assert_eq!(said.code, Some(1));
    said.tells("did not end within 5.0 s and was stopped");
    is_gone(&appears(&scene.root.join("grandchild")));
}

/// Promise: No process that `cargo learn` started outlives it.
#[test]
fn what_a_step_started_does_not_outlive_the_companion() {
    let scene = healthy(GREEN);
    let script = "sleep 600 & echo $! > $SCENE/grandchild; wait";
    scene.program("cargo", script);
    let mut command = scene.command(&["test", "--only", "tests"]);
    let mut companion = command.stdout(Stdio::null()).spawn().unwrap();
    let grandchild = appears(&scene.root.join("grandchild"));
    companion.kill().unwrap();
    companion.wait().unwrap();
    is_gone(&grandchild);
}

#[test]
fn a_limit_that_is_no_number_is_refused() {
    let scene = healthy(GREEN);
    let mut command = scene.command(&["test"]);
    let said = Said::by(command.env("RUNGRAD_STEP_LIMIT", "soon"));
    said.stopped(2, &["RUNGRAD_STEP_LIMIT", "\"soon\"", "seconds"]);
}

/// Runs lines of bash with the functions of `.ci/run`, and ends as that does.
#[cfg(target_os = "linux")]
fn by_ci(lines: &str) -> Said {
    let step = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/step");
    let lines = format!(
        r#"set -euo pipefail
source "{}"
cold=$(mktemp -d)
trap 'end_beside; rm -rf "$cold"' EXIT
{lines}
echo reached"#,
        step.display()
    );
    Said::by(Command::new("bash").args(["-c", &lines]))
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_beside_others_is_told_where_it_is_waited_for() {
    // It cannot end before the step behind it has begun.
    let said = by_ci(
        r#"waits='until [ -e "$0" ]; do sleep 0.1; done; echo beside'
limit=60s aside first sh -c "$waits" "$cold/go"
limit=60s step sh -c 'echo > "$0"; echo before' "$cold/go"
join first"#,
    );
    said.went_well();
    let lines = said.out.lines().filter(|line| !line.starts_with(['+', ' ']));
    assert_eq!(lines.collect::<Vec<_>>(), ["before", "beside", "reached"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_beside_others_that_fails_ends_the_run() {
    let said = by_ci(
        "limit=60s aside first sh -c 'echo why; exit 3'
limit=60s step true
join first",
    );
    assert_eq!(said.code, Some(3));
    assert!(said.out.lines().any(|line| line == "why"), "{}", said.out);
    assert!(!said.out.contains("reached"), "{}", said.out);
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_that_fails_ends_all_that_runs_beside_it() {
    let scene = Scene::new();
    let file = scene.root.join("grandchild");
    let said = by_ci(&format!(
        r#"file="{}"
limit=600s aside first sh -c 'sleep 600 & echo $! > "$0"; wait' "$file"
until [ -s "$file" ]; do sleep 0.1; done
limit=60s step false
join first"#,
        file.display()
    ));
    assert_eq!(said.code, Some(1));
    assert!(!said.out.contains("reached"), "{}", said.out);
    is_gone(&appears(&file));
}
