//! The bare `cargo learn`: the first visit, the later ones, and what it keeps.

mod scene;

use std::io::Write;
use std::process::Stdio;

use scene::Scene;

const EXERCISES: &str = "
[[exercise]]
id = \"p1_mul\"
title = \"The rule of a product\"
chapter = \"a-chapter.md\"
file = \"part1_cpu/p1_mul.rs\"
needs = []
task = \"Do it.\"
size = \"one line\"
difficulty = 1
minutes = 10
hints = [\"a\", \"b\", \"c\"]

[[exercise]]
id = \"p2_mul\"
title = \"A kernel that multiplies\"
chapter = \"a-chapter.md\"
file = \"part1_cpu/p2_mul.rs\"
needs = []
task = \"Do it.\"
size = \"one line\"
difficulty = 1
minutes = 10
hints = [\"a\", \"b\", \"c\"]
";

#[test]
fn the_first_visit_is_a_tour_and_the_next_is_not() {
    let scene = Scene::new();
    scene.write("exercises/exercises.toml", EXERCISES);
    let first = scene.learn(&[]);
    for part in ["part1", "part2", "part3", "cargo learn check p1_mul"] {
        first.went_well().tells(part);
    }
    let second = scene.learn(&[]);
    second.went_well().tells("0 of 2 exercises");
    assert!(!second.out.contains("Welcome"), "{}", second.out);
}

#[test]
fn the_next_exercise_is_the_first_that_is_not_solved() {
    let scene = Scene::new();
    scene.write("exercises/exercises.toml", EXERCISES);
    scene.write(
        ".learn/progress",
        "tour all seen\nexercise p1_mul solved\nexercise gone solved\n",
    );
    let said = scene.learn(&[]);
    said.went_well().tells("1 of 2").tells("cargo learn check p2_mul");
}

/// Promise: `cargo learn` asks no question without a terminal and then installs
/// nothing.
#[test]
fn nobody_is_asked_without_a_terminal() {
    let scene = Scene::new();
    scene.program("apt-get", "touch $SCENE/called");
    for words in [&[][..], &["setup"]] {
        let mut command = scene.command(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // A yes that nobody asked for installs nothing.
        let _ = child.stdin.take().unwrap().write_all(b"y\ny\n");
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains("cargo learn setup --yes"), "{out}");
        assert!(!out.contains("[y/N]"), "{out}");
        assert!(!scene.root.join("called").exists());
    }
}

#[test]
fn a_damaged_progress_file_is_named_and_survived() {
    let scene = Scene::new();
    let bytes = b"tour all seen\n\xff\xfe \x00\nexercise p1_mul\n";
    std::fs::create_dir_all(scene.root.join(".learn")).unwrap();
    std::fs::write(scene.root.join(".learn/progress"), bytes).unwrap();
    let said = scene.learn(&[]);
    said.went_well().tells(".learn/progress is damaged").tells("(lines: 2)");
    assert!(!said.out.contains("Welcome"), "{}", said.out);
}

#[test]
fn progress_that_cannot_be_kept_is_a_note() {
    let scene = Scene::new();
    scene.write(".learn", "a file where a folder should be");
    scene.learn(&[]).went_well().tells("your progress is not kept");
}

#[test]
fn a_damaged_table_of_exercises_is_one_sentence() {
    let scene = Scene::new();
    scene.write("exercises/exercises.toml", "[[exercise]\n");
    let said = scene.learn(&[]);
    said.stopped(1, &["cannot read exercises/exercises.toml", "git checkout"]);
}
