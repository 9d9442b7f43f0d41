//! An exercise that grows: its levels in the list, the hints and the verdict,
//! our stands, and what was written kept aside.

mod scene;

use scene::stage::{GROWING, GROWS, growing};

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
    scene.write(GROWING, "echo mine\n");
    let said = scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]);
    said.went_well().tells("What you wrote: .learn/backups/my_engine-");
    assert!(scene.read(GROWING).contains("level 2, the second"));
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

#[test]
fn an_engine_of_the_learner_s_answers_expressions_and_trains() {
    let scene = growing();
    scene.write(GROWING, "echo at work\n");
    let words = ["try", "a*b", "a=2", "--engine", "mine", "b=3"];
    scene.learn(&words).went_well().tells("at work");
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.learn(&["run", "my_engine"]).went_well().tells("at work");
    assert!(scene.read("calls").contains("--release"));
    scene.write(GROWING, "syntax error\n");
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
    scene.write(GROWING, &format!("{once}echo at work\n"));
    let said = scene.learn(&["run", "my_engine"]);
    said.went_well().tells("Compiling exercises/part1_cpu/my_engine.sh again");
    said.tells("at work");
    assert_eq!(scene.read("calls").lines().count(), 2);
}

#[test]
fn whatever_grows_is_run_by_its_name() {
    let scene = growing();
    let table = scene.read("exercises/exercises.toml");
    let row = GROWS.replace("my_engine", "my_device");
    scene.write("exercises/exercises.toml", &format!("{table}{row}"));
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.write(&GROWING.replace("my_engine", "my_device"), "echo elsewhere\n");
    scene.learn(&["run", "my_device"]).went_well().tells("elsewhere");
    let calls = scene.read("calls");
    assert!(calls.contains("--package my_engine --test my_device"), "{calls}");
}
