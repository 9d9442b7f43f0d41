//! An exercise that grows: its levels in the list, the hints and the verdict,
//! our stands, and what was written kept aside.

mod scene;

use scene::Scene;
use scene::stage::{CARGO, stage};

const ROW: &str = "
[[exercise]]
id = 'my_engine'
title = 'Your own'
chapter = 'my-engine.md'
file = 'part1_cpu/my_engine.sh'
needs = []
task = 'All of it.'
size = 'much'
difficulty = 4
minutes = 100
hints = ['at the end', 'b', 'c']

[[exercise.wrong]]
file = 'backwards.diff'
says = 'level 1, the first: backwards'

[[exercise.level]]
name = 'the first'
chapter = 'a-chapter.md'
task = 'Do the first of it.'
size = 'a line'
hints = ['of the first', 'e', 'f']

[[exercise.level]]
name = 'the second'
chapter = 'another.md'
task = 'Do the second of it.'
size = 'two lines'
hints = ['of the second', 'h', 'i']
";

const FILE: &str = "exercises/part1_cpu/my_engine.sh";

/// A script for each stand: it says the level that it comes to, and ends so.
fn solution() -> String {
    "echo begun\n// LEVELS -0\necho 'to do: level 1, the first'; exit 8\n\
     // LEVELS 1-1\necho 'failing: level 2, the second'; exit 7\n\
     // LEVELS 2-\necho solved\n// END LEVELS\n"
        .to_string()
}

fn growing() -> Scene {
    let scene = stage();
    let ends = "7) word=failing\\ 1/2 ;; 8) word=to_do\\ 0/2 ;; 9) exit 0";
    scene.program("cargo", &CARGO.replace("9) exit 0", ends));
    let table = scene.read("exercises/exercises.toml");
    scene.write("exercises/exercises.toml", &format!("{table}{ROW}"));
    scene.write("exercises/solutions/part1_cpu/my_engine.sh", &solution());
    scene.write("exercises/checks/my_engine.rs", "");
    let diff = "Backwards.\n@@\n-echo solved\n\
                +echo 'failing: level 1, the first: backwards'; exit 1\n";
    scene.write("exercises/wrong/my_engine/backwards.diff", diff);
    scene.learn(&["reset", "my_engine"]).went_well();
    scene
}

#[test]
fn the_verdict_says_what_the_next_level_asks_for() {
    let scene = growing();
    let said = scene.learn(&["check", "my_engine"]);
    said.tells("Level 1 of 2, the first: Do the first of it. (a line)");
    said.tells("book/src/a-chapter.md");
    assert_eq!(said.code, Some(1));
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).went_well();
    let said = scene.learn(&["check", "my_engine"]);
    said.tells("Level 2 of 2, the second: Do the second of it.");
    assert!(scene.read("calls").contains("--package my_engine"));
}

/// Promise: The list shows the engine's levels and never suggests them as the
/// next exercise.
#[test]
fn the_list_has_the_levels_and_nobody_is_sent_to_them() {
    let scene = growing();
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).went_well();
    scene.learn(&["check", "my_engine"]);
    let list = scene.learn(&["list"]);
    list.went_well().tells("my_engine: 1 of 2 levels stand");
    list.tells("  stands   1").tells("  next     2");
    list.tells("Next: cargo learn check one");
}

#[test]
fn hints_are_those_of_the_level_that_is_next() {
    let scene = growing();
    let hint = || scene.learn(&["hint", "my_engine"]);
    hint().went_well().tells("Hint 1 of 3 for level 1").tells("of the first");
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).went_well();
    scene.learn(&["check", "my_engine"]);
    hint().went_well().tells("Hint 1 of 3 for level 2").tells("of the second");
}

/// Promise: A learner can start the engine at any level, and the replaced file
/// is backed up.
#[test]
fn it_can_be_begun_at_any_level_and_what_was_written_is_kept() {
    let scene = growing();
    scene.write(FILE, "echo mine\n");
    let said = scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]);
    said.went_well().tells("What you wrote: .learn/backups/my_engine-");
    assert!(scene.read(FILE).contains("level 2, the second"));
    let said = scene.learn(&["reset", "my_engine", "--from", "3", "--yes"]);
    said.stopped(2, &["--from is \"3\"", "the levels 1 to 2"]);
    let said = scene.learn(&["reset", "one", "--from", "1", "--yes"]);
    said.stopped(2, &["one has no levels"]);
}

#[test]
fn the_solution_of_a_level_is_what_it_changes() {
    let scene = growing();
    let solution = || scene.learn(&["solution", "my_engine", "--level", "2"]);
    solution().went_well().tells("Ask once more");
    let said = solution();
    said.went_well().tells("What level 2, the second, changes in ours:");
    said.tells("-echo 'failing: level 2, the second'; exit 7\n+echo solved");
}

/// Promise: Each stage of our reference engine reaches its level and no
/// further, and each known wrong engine breaks the promised rule.
#[test]
fn verify_proves_each_stand_and_each_change() {
    let scene = growing();
    let said = scene.learn(&["verify", "my_engine"]);
    said.went_well().tells("4 passed, 0 failed, 0 skipped");
    let told = |old: &str, new: &str, fault: &str| {
        let scene = growing();
        let file = "exercises/solutions/part1_cpu/my_engine.sh";
        scene.write(file, &solution().replace(old, new));
        let said = scene.learn(&["verify", "my_engine"]);
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        let said = format!("{}{}", said.out, said.err);
        assert!(said.contains(fault), "no {fault:?} in {said}");
    };
    told("to do: level 1", "to do: level 2", "come to level 1, the first");
    told("exit 7", "exit 0", "come to level 2, the second");
    told("echo solved", "echo solved it", "found 0 times");
}

#[test]
fn an_engine_of_the_learner_s_answers_expressions_and_trains() {
    let scene = growing();
    scene.write(FILE, "echo at work\n");
    let words = ["try", "a*b", "a=2", "--engine", "mine", "b=3"];
    scene.learn(&words).went_well().tells("at work");
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.learn(&["run", "my_engine"]).went_well().tells("at work");
    assert!(scene.read("calls").contains("--release"));
    scene.write(FILE, "syntax error\n");
    let said = scene.learn(&["run", "my_engine"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("does not compile"), "{}", said.err);
    said.tells("expected expression");
}

#[test]
fn an_engine_of_an_earlier_text_is_built_again() {
    let scene = growing();
    scene.write("examples/part1_one.rs", "//! One.\n");
    let once = "[ -e $SCENE/again ] || { : > $SCENE/again; exit 10; }\n";
    scene.write(FILE, &format!("{once}echo at work\n"));
    let said = scene.learn(&["run", "my_engine"]);
    said.went_well().tells("Compiling exercises/part1_cpu/my_engine.sh again");
    said.tells("at work");
    assert_eq!(scene.read("calls").lines().count(), 2);
}

#[test]
fn whatever_grows_is_run_by_its_name() {
    let scene = growing();
    let table = scene.read("exercises/exercises.toml");
    let row = ROW.replace("my_engine", "my_device");
    scene.write("exercises/exercises.toml", &format!("{table}{row}"));
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.write(&FILE.replace("my_engine", "my_device"), "echo elsewhere\n");
    scene.learn(&["run", "my_device"]).went_well().tells("elsewhere");
    let calls = scene.read("calls");
    assert!(calls.contains("--package my_engine --test my_device"), "{calls}");
}
