//! The real exercises with cargo, the compiler, and a device if there is one.
//! The files are in a temporary folder, so a learner's files are neither read
//! nor changed.

mod scene;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};
use std::{env, fs};

use learn::exercises::answers;
use scene::{CommandOutput, Scene, skip};

/// Returns the companion of this repository, with the exercises of the scene.
fn command(scene: &Scene, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.args(words).current_dir(repository());
    command.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
    command.env("RUNGRAD_EXERCISES", scene.root.join("exercises"));
    command
}

fn learn(scene: &Scene, words: &[&str]) -> CommandOutput {
    let mut command = command(scene, words);
    // A low limit, because one kernel hangs on purpose. Backtraces are on
    // because a verdict must not show one.
    command.env("RUNGRAD_CHECK_LIMIT", "2").env("RUST_BACKTRACE", "1");
    CommandOutput::from(&mut command)
}

fn repository() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Writes a file of the course as the learner's file `file`.
fn put(scene: &Scene, file: &str, source: &str) {
    let text = fs::read_to_string(repository().join("exercises").join(source));
    scene.write(&format!("exercises/{file}"), &text.unwrap());
}

/// Writes a known wrong answer as the learner's file `file`.
fn put_wrong(scene: &Scene, file: &str, name: &str) {
    let course = repository().join("exercises");
    let id = Path::new(file).file_stem().unwrap().to_str().unwrap();
    let patches = course.join(format!("wrong/{id}.diff"));
    let patches = fs::read_to_string(patches).unwrap();
    let solution = course.join("solutions").join(file);
    let solution = answers::plain(&fs::read_to_string(solution).unwrap());
    let answers = answers::wrong_answers(&patches, &solution).unwrap();
    let answer = answers.iter().find(|answer| answer.name == name);
    scene.write(&format!("exercises/{file}"), &answer.unwrap().text);
}

fn is_listed(scene: &Scene, status: &str, id: &str) -> bool {
    let list = learn(scene, &["list"]);
    let row = format!("{status:<7}  {id} ");
    list.succeeds().out.lines().any(|line| line.starts_with(&row))
}

/// Promise: A learner's syntax error, hanging kernel or unfilled hole affects
/// only that exercise.
#[test]
fn one_broken_exercise_does_not_affect_the_others() {
    let scene = Scene::new();
    put(&scene, "part1_cpu/mul_rule.rs", "solutions/part1_cpu/mul_rule.rs");
    put_wrong(&scene, "part2_gpu/mul_kernel.cl", "endless");
    scene.write(
        "exercises/part3_unified/mul_function.rs",
        "pub struct Mul;\nimpl Function for {\n",
    );

    let broken = learn(&scene, &["check", "mul_function"]);
    assert_eq!(broken.code, Some(1), "{}{}", broken.out, broken.err);
    broken.prints("does not compile");
    broken.prints("part3_unified/mul_function.rs:2:");
    assert!(is_listed(&scene, "failing", "mul_function"));

    let solved = learn(&scene, &["check", "mul_rule"]);
    solved.succeeds().prints("solved: mul_rule").prints("Read on");
    assert!(is_listed(&scene, "solved", "mul_rule"));

    let hanging = learn(&scene, &["check", "mul_kernel"]);
    assert_eq!(hanging.code, Some(1), "{}{}", hanging.out, hanging.err);
    if hanging.out.contains("\nskipped: ") {
        let test = "a_solved_file_a_syntax_error_and_a_hanging_kernel_live_\
                    side_by_side";
        skip(test, "no OpenCL device");
        assert!(is_listed(&scene, "skipped", "mul_kernel"));
    } else {
        // On a busy machine the limit may pass before the kernel has run that
        // long.
        hanging.prints("your kernel did not finish within ");
        assert!(is_listed(&scene, "failing", "mul_kernel"));
    }

    // A solved exercise stays solved until its file changes.
    assert!(is_listed(&scene, "solved", "mul_rule"));
    let file = "exercises/part1_cpu/mul_rule.rs";
    scene.write(file, &format!("{}\n", scene.read(file)));
    assert!(is_listed(&scene, "stale", "mul_rule"));

    // The verdict of a wrong answer shows the tape and no backtrace.
    put_wrong(&scene, "part1_cpu/mul_rule.rs", "swapped");
    let wrong = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((wrong.code, wrong.err.as_str()), (Some(1), ""));
    wrong
        .prints("The rule of mul is wrong for operand 0 (a).")
        .prints("diagnosis: the operands are swapped")
        .prints("<-- here")
        .prints("verdict/mul_rule.svg");
    assert!(!wrong.out.contains("backtrace"), "{}", wrong.out);

    // A panic in the learner's code names the learner's line.
    let text = scene.read(file).replace(
        "(a.data(), b.data())",
        "(a.data(), Tensor::new(&[2], &[]).data())",
    );
    scene.write(file, &text);
    let panic = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((panic.code, panic.err.as_str()), (Some(1), ""));
    let line = 1 + text.lines().position(|it| it.contains("&[2]")).unwrap();
    panic.prints(&format!("part1_cpu/mul_rule.rs:{line}: "));

    // So does a panic deep inside a library that the learner called.
    let text = text.replace(
        "Tensor::new(&[2], &[]).data()",
        "Tensor::new(&[2], &[1.0, 2.0]).data()",
    );
    scene.write(file, &text);
    let deep = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((deep.code, deep.err.as_str()), (Some(1), ""));
    let line = 1 + text.lines().position(|it| it.contains("&*x *")).unwrap();
    deep.prints(&format!("part1_cpu/mul_rule.rs:{line}: "));

    // A hole in code that is never called is reported too.
    put(&scene, "part1_cpu/mul_rule.rs", "solutions/part1_cpu/mul_rule.rs");
    let hole = "fn later() {\n    todo!(\"TODO(mul_rule): later\")\n}\n";
    scene.write(file, &format!("{}{hole}", scene.read(file)));
    let left = learn(&scene, &["check", "mul_rule"]);
    assert_eq!(left.code, Some(1), "{}", left.out);
    left.prints("still says TODO(mul_rule): later");

    // An infinite loop does not prevent the verdict.
    let text =
        scene.read(file).replace("let (x, y)", "loop {}\n    let (x, y)");
    scene.write(file, &text);
    let endless = learn(&scene, &["check", "mul_rule"]);
    assert_eq!(endless.code, Some(1));
    endless.prints("your code did not finish within 2 s");
}

/// A file that was moved or restored from a backup may be older than the
/// program of its check, and cargo compares only modification times.
///
/// Promise: A verdict is about the current text of the file, whatever its
/// modification time.
#[test]
fn a_verdict_ignores_the_modification_time() {
    let scene = Scene::new();
    let file = "part1_cpu/ties.rs";
    let verdict = || {
        let path = scene.root.join("exercises").join(file);
        let path = fs::File::options().write(true).open(path).unwrap();
        path.set_modified(UNIX_EPOCH + Duration::from_secs(1 << 30)).unwrap();
        learn(&scene, &["check", "ties"])
    };
    for _ in 0..2 {
        put(&scene, file, "solutions/part1_cpu/ties.rs");
        verdict().succeeds().prints("solved: ties");
        put_wrong(&scene, file, "zero_is_positive");
        let said = verdict();
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
        said.prints("failing: ");
    }
}

/// Promise: A check in which the learner writes the test names a bug of ours
/// only after a hint.
#[test]
fn a_bug_that_a_test_misses_is_named_after_a_hint() {
    let scene = Scene::new();
    put_wrong(&scene, "part1_cpu/your_test.rs", "ones");
    let check = || learn(&scene, &["check", "your_test"]);
    let said = check();
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    said.prints("  ok  rejected: it overwrites");
    said.prints("failing: engine 3 of 7 must be rejected");
    assert!(!said.out.contains("grad_out"), "{}", said.out);
    learn(&scene, &["hint", "your_test"]).succeeds();
    check().prints("failing: rejected: it ignores grad_out");
}

/// A log that cannot be written must not be mistaken for an empty one.
///
/// Promise: An out-of-bounds read is detected even if no temporary file can be
/// written.
#[test]
fn an_out_of_bounds_read_is_reported_without_temporary_files() {
    let scene = Scene::new();
    put_wrong(&scene, "part2_gpu/mul_kernel.cl", "reads_before_the_guard");
    let mut command = command(&scene, &["check", "mul_kernel"]);
    let said = CommandOutput::from(command.env("TMPDIR", "/nonexistent"));
    let here = |words| said.out.contains(words);
    if here("\nskipped: ") || here("Oclgrind is not installed") {
        let test = "an_out_of_bounds_read_is_reported_without_temporary_files";
        return skip(test, "no OpenCL device, or no Oclgrind");
    }
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    said.prints("Invalid read of size 4 at global memory");
    assert!(is_listed(&scene, "failing", "mul_kernel"));
}
