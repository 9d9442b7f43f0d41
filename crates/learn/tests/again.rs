//! `cargo learn again`, on a stage where a check is the learner's file.

mod scene;

use std::process::Stdio;

use scene::Scene;
use scene::stage::{ONE, SOLVED, TO_DO, source, stage};

const VARIANT: &str = "exercises/again/part1_cpu/one.rs";

/// What stands in the file of the exercise, which no variant touches.
const YOURS: &str = "echo mine\n";

/// An exercise whose variants differ by a factor; each of them is solved by a
/// file that names the factor that its check was given.
fn again() -> Scene {
    let scene = stage();
    let table = scene.read("exercises/exercises.toml").replacen(
        "\n[[exercise.wrong]]",
        "\n[exercise.again]\ntask = 'Multiply by @factor@.'\n\
         draw = [{ name = 'factor', from = ['7', '9'] }]\n\
         \n[[exercise.wrong]]",
        1,
    );
    scene.write("exercises/exercises.toml", &table);
    let stub = format!("# by @factor@\n{TO_DO}");
    let plain = "[ \"$RUNGRAD_AGAIN\" = factor=@factor@ ] || exit 1\n";
    scene.write(
        "exercises/solutions/again/part1_cpu/one.rs",
        &source(&stub, plain),
    );
    scene.write(ONE, YOURS);
    scene
}

/// Promise: A variant of an exercise does not replace the learner's solved
/// file.
#[test]
fn a_variant_stands_beside_the_file_that_solved_the_exercise() {
    let scene = again();
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

/// Promise: A variant rejects the answer of the original exercise.
#[test]
fn verify_proves_a_variant_and_refuses_the_old_answer() {
    let scene = again();
    let passed = scene.learn(&["verify", "one"]);
    assert_eq!(passed.code, Some(1), "{}", passed.out);
    // The answer to the exercise solves the variant as well: it says nothing
    // of the factor.
    passed.tells("the old answer to one, again with seed 0 (factor=7)");
    passed.tells("should be refused");
    scene.write(
        "exercises/solutions/part1_cpu/one.rs",
        &source(TO_DO, "[ -z \"$RUNGRAD_AGAIN\" ] || exit 1\n"),
    );
    let passed = scene.learn(&["verify", "one"]);
    passed.went_well().tells("9 passed, 0 failed");
    // A variant whose solution forgets its factor is none.
    scene.write(
        "exercises/solutions/again/part1_cpu/one.rs",
        &source(TO_DO, "[ \"$RUNGRAD_AGAIN\" = factor=7 ] || exit 1\n"),
    );
    let failed = scene.learn(&["verify", "one"]);
    failed.tells("the solution of one, again with seed 1 (factor=9)");
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
