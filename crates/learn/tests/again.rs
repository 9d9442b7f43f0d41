//! `cargo learn again`, in a checkout whose checks run the learner's file.

mod scene;

use std::process::Stdio;

use scene::stage::{ONE, SOLVED, stage_with_variants};

const VARIANT: &str = "exercises/again/part1_cpu/one.rs";

/// The contents of the learner's file, which no variant changes.
const YOURS: &str = "echo mine\n";

/// Promise: A variant of an exercise does not replace the learner's solved
/// file.
#[test]
fn a_variant_does_not_replace_the_solved_file() {
    let scene = stage_with_variants();
    scene.write(ONE, YOURS);
    let drawn = scene.learn(&["again", "one"]);
    drawn.succeeds().prints("Multiply by 7.").prints(VARIANT);
    assert!(scene.read(VARIANT).contains("TODO(one): by 7"));
    assert_eq!(scene.read(ONE), YOURS);
}

/// Promise: A solved variant is followed by a new one.
#[test]
fn a_solved_variant_is_followed_by_a_new_one() {
    let scene = stage_with_variants();
    scene.learn(&["again", "one"]).succeeds();
    let said = scene.learn(&["again", "one"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    said.prints("TODO(one)").prints("Multiply by 7.");
    // The check receives the drawn values.
    scene.write(VARIANT, "[ \"$RUNGRAD_AGAIN\" = factor=7 ] || exit 1\n");
    scene.learn(&["again", "one"]).succeeds().prints("The next variant:");
    scene.learn(&["again"]).succeeds().prints("solved  one");
    scene.learn(&["again", "one"]).succeeds().prints("Multiply by 9.");
    // The exercise itself receives no values and keeps a separate status.
    scene.write(ONE, "[ -z \"$RUNGRAD_AGAIN\" ] || exit 1\n");
    let checked = scene.learn(&["check", "one"]);
    checked
        .succeeds()
        .prints("The same with different values: cargo learn again one");
}

#[test]
fn an_unfinished_variant_is_backed_up() {
    let scene = stage_with_variants();
    scene.learn(&["again", "one"]).succeeds();
    scene.write(VARIANT, SOLVED);
    let said = scene.learn(&["again", "one", "--seed", "5"]);
    said.succeeds()
        .prints("Backup of your previous version: .learn/backups/one-");
    said.prints("Multiply by 9.");
    let seven = scene.learn(&["again", "one", "--new"]);
    seven.succeeds().prints("Multiply by 7.");
}

#[test]
fn an_exercise_without_variants_is_reported() {
    let scene = stage_with_variants();
    scene.learn(&["again", "two"]).fails_with(2, &["two has no variant"]);
    scene.learn(&["again", "onn"]).fails_with(2, &["did you mean one?"]);
    scene.learn(&["again", "one", "--seed", "x"]).fails_with(2, &["--seed is"]);
}

#[test]
fn a_variant_waits_for_a_check_of_its_exercise() {
    let scene = stage_with_variants();
    scene.learn(&["again", "one"]).succeeds();
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
