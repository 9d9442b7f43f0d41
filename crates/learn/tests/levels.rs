//! An exercise with levels: the list, the hints, the verdict, our solutions,
//! and backups.

mod scene;

use scene::stage::{LEVELS_FILE, LEVELS_TABLE, stage_with_levels};

#[test]
fn the_verdict_names_the_task_of_the_next_level() {
    let scene = stage_with_levels();
    let said = scene.learn(&["check", "my_engine"]);
    said.prints("Level 1 of 2, the first: Do the first of it. (a line)");
    said.prints("book/src/a-chapter.md");
    assert_eq!(said.code, Some(1));
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).succeeds();
    let said = scene.learn(&["check", "my_engine"]);
    said.prints("Level 2 of 2, the second: Do the second of it.");
    assert!(scene.read("calls").contains("--package my_engine"));
}

/// Promise: The list shows the engine's levels and never suggests them as the
/// next exercise.
#[test]
fn levels_are_listed_but_never_suggested() {
    let scene = stage_with_levels();
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).succeeds();
    scene.learn(&["check", "my_engine"]);
    let list = scene.learn(&["list"]);
    list.succeeds().prints("my_engine: 1 of 2 levels pass");
    list.prints("  passed   1").prints("  next     2");
    list.prints("Next: cargo learn check one");
}

#[test]
fn hints_belong_to_the_next_level() {
    let scene = stage_with_levels();
    let hint = || scene.learn(&["hint", "my_engine"]);
    hint().succeeds().prints("Hint 1 of 3 for level 1").prints("of the first");
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).succeeds();
    scene.learn(&["check", "my_engine"]);
    hint().succeeds().prints("Hint 1 of 3 for level 2").prints("of the second");
}

#[test]
fn a_level_has_hints_of_its_own() {
    let scene = stage_with_levels();
    let words = ["hint", "my_engine", "--level", "2"];
    let said = scene.learn(&words);
    said.succeeds().prints("Hint 1 of 3 for level 2").prints("of the second");
    said.prints("Next hint: cargo learn hint my_engine --level 2");
    scene.learn(&words).succeeds().prints("Hint 2 of 3 for level 2");
    let said = scene.learn(&["hint", "my_engine", "--level", "9"]);
    said.fails_with(2, &["--level is \"9\"", "the levels 1 to 2"]);
    let said = scene.learn(&["hint", "one", "--level", "1"]);
    said.fails_with(2, &["one has no levels"]);
}

/// Promise: When all levels pass, the learner is told what they have made.
#[test]
fn the_last_level_is_celebrated() {
    let scene = stage_with_levels();
    scene.write(LEVELS_FILE, "// mine\n\necho solved\n");
    let said = scene.learn(&["check", "my_engine"]);
    said.succeeds().prints("All 2 levels pass. You own an engine");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("you wrote it: 1 lines of code."), "{words}");
    said.prints("cargo learn run my_engine");
    scene.write(LEVELS_FILE, "echo 'failing: level 2'; exit 7\n");
    let said = scene.learn(&["check", "my_engine"]);
    assert!(!said.out.contains("You own"), "{}", said.out);
}

/// Promise: A learner can start the engine at any level, and the replaced file
/// is backed up.
#[test]
fn reset_to_a_level_backs_up_the_old_file() {
    let scene = stage_with_levels();
    scene.write(LEVELS_FILE, "echo mine\n");
    let said = scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]);
    said.succeeds().prints("Your version: .learn/backups/my_engine-");
    assert!(scene.read(LEVELS_FILE).contains("level 2, the second"));
    let said = scene.learn(&["reset", "my_engine", "--from", "3", "--yes"]);
    said.fails_with(2, &["--from is \"3\"", "the levels 1 to 2"]);
    let said = scene.learn(&["reset", "one", "--from", "1", "--yes"]);
    said.fails_with(
        2,
        &["--from is for exercises with levels, and one has no levels"],
    );
}

#[test]
fn the_solution_of_a_level_shows_its_changes() {
    let scene = stage_with_levels();
    let solution = || scene.learn(&["solution", "my_engine", "--level", "2"]);
    solution().succeeds().prints("Ask again");
    let said = solution();
    said.succeeds()
        .prints("What level 2, the second, changes in our solution:");
    said.prints("-echo 'failing: level 2, the second'; exit 7\n+echo solved");
}

#[test]
fn the_learner_s_engine_evaluates_expressions_and_trains() {
    let scene = stage_with_levels();
    scene.write(LEVELS_FILE, "echo at work\n");
    let words = ["try", "a*b", "a=2", "--engine", "mine", "b=3"];
    scene.learn(&words).succeeds().prints("at work");
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.learn(&["run", "my_engine"]).succeeds().prints("at work");
    assert!(scene.read("calls").contains("--release"));
    scene.write(LEVELS_FILE, "syntax error\n");
    let said = scene.learn(&["run", "my_engine"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("does not compile"), "{}", said.err);
    said.prints("expected expression");
}

#[test]
fn a_stale_engine_is_rebuilt() {
    let scene = stage_with_levels();
    scene.write("examples/part1_one.rs", "//! One.\n");
    let once = "[ -e $SCENE/again ] || { : > $SCENE/again; exit 10; }\n";
    scene.write(LEVELS_FILE, &format!("{once}echo at work\n"));
    let said = scene.learn(&["run", "my_engine"]);
    said.succeeds().prints("Compiling exercises/part1_cpu/my_engine.sh again");
    said.prints("at work");
    assert_eq!(scene.read("calls").lines().count(), 2);
}

#[test]
fn an_exercise_with_levels_runs_by_its_name() {
    let scene = stage_with_levels();
    let table = scene.read("exercises/exercises.toml");
    let row = LEVELS_TABLE.replace("my_engine", "my_device");
    scene.write("exercises/exercises.toml", &format!("{table}{row}"));
    scene.write("examples/part1_one.rs", "//! One.\n");
    scene.write(
        &LEVELS_FILE.replace("my_engine", "my_device"),
        "echo elsewhere\n",
    );
    scene.learn(&["run", "my_device"]).succeeds().prints("elsewhere");
    let calls = scene.read("calls");
    assert!(calls.contains("--package my_engine --test my_device"), "{calls}");
}
