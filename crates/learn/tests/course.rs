//! The exercises for real: cargo, the compiler, and a device where there is
//! one. The files stand in a folder of their own, so that a learner's are
//! neither seen nor touched.

mod scene;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};
use std::{env, fs};

use learn::exercises::answers;
use scene::{Said, Scene, skip};

/// The companion in this repository, with exercises on the stage.
fn command(scene: &Scene, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.args(words).current_dir(repository());
    command.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
    command.env("RUNGRAD_EXERCISES", scene.root.join("exercises"));
    command
}

fn learn(scene: &Scene, words: &[&str]) -> Said {
    let mut command = command(scene, words);
    // A kernel that hangs need not hang for long, and a verdict that hides
    // an error of ours behind a backtrace would be one.
    command.env("RUNGRAD_CHECK_LIMIT", "2").env("RUST_BACKTRACE", "1");
    Said::by(&mut command)
}

fn repository() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// A file of the course, written as what the learner of `file` has.
fn put(scene: &Scene, file: &str, source: &str) {
    let text = fs::read_to_string(repository().join("exercises").join(source));
    scene.write(&format!("exercises/{file}"), &text.unwrap());
}

/// A known wrong answer, written as what the learner of `file` has.
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

fn shown(scene: &Scene, status: &str, id: &str) -> bool {
    let list = learn(scene, &["list"]);
    let row = format!("{status:<7}  {id} ");
    list.went_well().out.lines().any(|line| line.starts_with(&row))
}

/// Promise: A learner's syntax error, hanging kernel or unfilled hole affects
/// only that exercise.
#[test]
fn a_solved_file_a_syntax_error_and_a_hanging_kernel_live_side_by_side() {
    let scene = Scene::new();
    put(&scene, "part1_cpu/mul_rule.rs", "solutions/part1_cpu/mul_rule.rs");
    put_wrong(&scene, "part2_gpu/mul_kernel.cl", "endless");
    scene.write(
        "exercises/part3_unified/mul_function.rs",
        "pub struct Mul;\nimpl Function for {\n",
    );

    let broken = learn(&scene, &["check", "mul_function"]);
    assert_eq!(broken.code, Some(1), "{}{}", broken.out, broken.err);
    broken.tells("does not compile");
    broken.tells("part3_unified/mul_function.rs:2:");
    assert!(shown(&scene, "failing", "mul_function"));

    let solved = learn(&scene, &["check", "mul_rule"]);
    solved.went_well().tells("solved: mul_rule").tells("Read on");
    assert!(shown(&scene, "solved", "mul_rule"));

    let hanging = learn(&scene, &["check", "mul_kernel"]);
    assert_eq!(hanging.code, Some(1), "{}{}", hanging.out, hanging.err);
    if hanging.out.contains("\nskipped: ") {
        let test = "a_solved_file_a_syntax_error_and_a_hanging_kernel_live_\
                    side_by_side";
        skip(test, "no OpenCL device");
        assert!(shown(&scene, "skipped", "mul_kernel"));
    } else {
        // On a busy machine that time goes by before the kernel has had its own.
        hanging.tells("your kernel did not come to an end within ");
        assert!(shown(&scene, "failing", "mul_kernel"));
    }

    // What is solved stays solved, until its file changes.
    assert!(shown(&scene, "solved", "mul_rule"));
    let file = "exercises/part1_cpu/mul_rule.rs";
    scene.write(file, &format!("{}\n", scene.read(file)));
    assert!(shown(&scene, "stale", "mul_rule"));

    // A wrong answer has its verdict, with the tape and no backtrace.
    put_wrong(&scene, "part1_cpu/mul_rule.rs", "swapped");
    let wrong = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((wrong.code, wrong.err.as_str()), (Some(1), ""));
    wrong
        .tells("The rule of mul is wrong for operand 0 (a).")
        .tells("diagnosis: the operands are swapped")
        .tells("<-- here")
        .tells("verdict/mul_rule.svg");
    assert!(!wrong.out.contains("backtrace"), "{}", wrong.out);

    // A panic of the learner's names the learner's line.
    let text = scene.read(file).replace(
        "(a.data(), b.data())",
        "(a.data(), Tensor::new(&[2], &[]).data())",
    );
    scene.write(file, &text);
    let panic = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((panic.code, panic.err.as_str()), (Some(1), ""));
    let line = 1 + text.lines().position(|it| it.contains("&[2]")).unwrap();
    panic.tells(&format!("part1_cpu/mul_rule.rs:{line}: "));

    // So does a panic deep inside a library that the learner called.
    let text = text.replace(
        "Tensor::new(&[2], &[]).data()",
        "Tensor::new(&[2], &[1.0, 2.0]).data()",
    );
    scene.write(file, &text);
    let deep = learn(&scene, &["check", "mul_rule"]);
    assert_eq!((deep.code, deep.err.as_str()), (Some(1), ""));
    let line = 1 + text.lines().position(|it| it.contains("&*x *")).unwrap();
    deep.tells(&format!("part1_cpu/mul_rule.rs:{line}: "));

    // A hole where no step comes by is a hole.
    put(&scene, "part1_cpu/mul_rule.rs", "solutions/part1_cpu/mul_rule.rs");
    let hole = "fn later() {\n    todo!(\"TODO(mul_rule): later\")\n}\n";
    scene.write(file, &format!("{}{hole}", scene.read(file)));
    let left = learn(&scene, &["check", "mul_rule"]);
    assert_eq!(left.code, Some(1), "{}", left.out);
    left.tells("still says TODO(mul_rule): later");

    // And a loop without an end is no end of the check.
    let text =
        scene.read(file).replace("let (x, y)", "loop {}\n    let (x, y)");
    scene.write(file, &text);
    let endless = learn(&scene, &["check", "mul_rule"]);
    assert_eq!(endless.code, Some(1));
    endless.tells("your code did not come to an end within 2 s");
}

/// A file that was moved here or restored from a backup may be older than the
/// program of its check, and cargo compares times only.
///
/// Promise: A verdict is about the current text of the file, whatever its
/// modification time.
#[test]
fn a_file_with_an_old_time_has_a_verdict_of_its_own() {
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
        verdict().went_well().tells("solved: ties");
        put_wrong(&scene, file, "zero_is_positive");
        let said = verdict();
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
        said.tells("failing: ");
    }
}

/// A log that could not be written was once read as an empty one, and the
/// kernel declared clean.
///
/// Promise: An out-of-bounds read is detected even if no temporary file can be
/// written.
#[test]
fn a_stray_read_is_seen_where_no_temporary_file_can_be_written() {
    let scene = Scene::new();
    put_wrong(&scene, "part2_gpu/mul_kernel.cl", "reads_before_the_guard");
    let mut command = command(&scene, &["check", "mul_kernel"]);
    let said = Said::by(command.env("TMPDIR", "/nonexistent"));
    let here = |words| said.out.contains(words);
    if here("\nskipped: ") || here("Oclgrind is not installed") {
        let test =
            "a_stray_read_is_seen_where_no_temporary_file_can_be_written";
        return skip(test, "no OpenCL device, or no Oclgrind");
    }
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    said.tells("Invalid read of size 4 at global memory");
    assert!(shown(&scene, "failing", "mul_kernel"));
}
