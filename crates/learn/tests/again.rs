//! `cargo learn again`, on a stage where a check is the learner's file.

mod scene;

use std::process::Stdio;

use scene::stage::{ONE, SOLVED, again};

const VARIANT: &str = "exercises/again/part1_cpu/one.rs";

/// What stands in the file of the exercise, which no variant touches.
const YOURS: &str = "echo mine\n";

/// Promise: A variant of an exercise does not replace the learner's solved
/// file.
#[test]
fn a_variant_stands_beside_the_file_that_solved_the_exercise() {
    let scene = again();
    scene.write(ONE, YOURS);
    let drawn = scene.learn(&["again", "one"]);
    drawn.went_well().tells("Multiply by 7.").tells(VARIANT);
    assert!(scene.read(VARIANT).starts_with("# by 7\n"));
    assert_eq!(scene.read(ONE), YOURS);
}

/// Promise: A solved variant makes room for a new one.
#[test]
fn once_more_checks_the_variant_and_a_solved_one_makes_room_for_another() {
    let scene = again();
    scene.learn(&["again", "one"]).went_well();
    let said = scene.learn(&["again", "one"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    said.tells("TODO(one)").tells("Multiply by 7.");
    // The check knows what was drawn.
    scene.write(VARIANT, "[ \"$RUNGRAD_AGAIN\" = factor=7 ] || exit 1\n");
    scene.learn(&["again", "one"]).went_well().tells("Another one:");
    scene.learn(&["again"]).went_well().tells("solved  one");
    scene.learn(&["again", "one"]).went_well().tells("Multiply by 9.");
    // The exercise itself was given nothing, and its status is its own.
    scene.write(ONE, "[ -z \"$RUNGRAD_AGAIN\" ] || exit 1\n");
    let checked = scene.learn(&["check", "one"]);
    checked.went_well().tells("With other values: cargo learn again one");
}

#[test]
fn what_stood_in_a_variant_is_kept() {
    let scene = again();
    scene.learn(&["again", "one"]).went_well();
    scene.write(VARIANT, SOLVED);
    let said = scene.learn(&["again", "one", "--seed", "5"]);
    said.went_well().tells("What stood there: .learn/backups/one-");
    said.tells("Multiply by 9.");
    let seven = scene.learn(&["again", "one", "--new"]);
    seven.went_well().tells("Multiply by 7.");
}

#[test]
fn what_has_no_variant_says_so() {
    let scene = again();
    scene.learn(&["again", "two"]).stopped(2, &["two has no variant"]);
    scene.learn(&["again", "onn"]).stopped(2, &["the nearest is one"]);
    scene.learn(&["again", "one", "--seed", "x"]).stopped(2, &["--seed is"]);
}

#[test]
fn a_variant_waits_for_a_check_of_its_exercise() {
    let scene = again();
    scene.learn(&["again", "one"]).went_well();
    let busy = "mkdir $SCENE/busy || exit 1\nsleep 0.2\nrmdir $SCENE/busy\n";
    scene.write(ONE, busy);
    scene.write(VARIANT, busy);
    let mut both = ["check", "again"].map(|command| {
        let mut command = scene.command(&[command, "one"]);
        command.stdout(Stdio::null()).spawn().unwrap()
    });
    for one in &mut both {
        assert_eq!(one.wait().unwrap().code(), Some(0));
    }
}
