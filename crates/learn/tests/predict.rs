//! `cargo learn predict`: a number, before a program shows it.

mod scene;

use scene::Scene;

const TABLE: &str = "
[[prediction]]
id = 'twice'
chapter = 'one.md'
listing = 'twice.out'
line = 'after two'
number = 1
question = 'What is there after two?'
why = 'The same is added again.'
wrong = [{ guess = '9', because = 'That is once.' }]

[[prediction]]
id = 'below'
chapter = 'one.md'
listing = 'twice.out'
line = 'below'
number = 1
question = 'And below?'
why = 'It is negative.'
wrong = []
";

fn predictions() -> Scene {
    let scene = Scene::new();
    scene.write("exercises/predictions.toml", TABLE);
    scene.write(
        "book/listings/twice.out",
        "$ cargo run \\\n    --example twice\nafter two: 18\nbelow: -3\n",
    );
    scene
}

#[test]
fn the_program_answers_after_the_learner() {
    let scene = predictions();
    let said = scene.typed(&["predict"], "a dozen\n18\n");
    said.went_well().tells("What is there after two?");
    said.tells("That is no number").tells("Right: 18.");
    said.tells("after two: 18").tells("The same is added again.");
    said.tells("See for yourself: cargo run --example twice");
    said.tells("The next question: cargo learn predict below");
    scene.learn(&["predict", "below", "-3"]).went_well().tells("Right: -3.");
    scene.learn(&["predict"]).went_well().tells("asked for every number");
}

/// Promise: A typical wrong prediction gets its reason.
#[test]
fn a_typical_wrong_number_gets_its_reason() {
    let scene = predictions();
    let said = scene.learn(&["predict", "twice", "9"]);
    said.went_well().tells("You say 9, and the program 18.");
    said.tells("That is once.");
    let other = scene.learn(&["predict", "twice", "7"]);
    assert!(!other.went_well().out.contains("That is once."));
    let list = scene.learn(&["predict", "--list"]);
    list.went_well().tells("other   twice").tells("0 of 2 were right");
    scene.learn(&["predict", "twice", "18"]).went_well();
    let list = scene.learn(&["predict", "--list"]);
    list.tells("right   twice").tells("1 of 2 were right");
}

#[test]
fn what_cannot_be_asked_is_a_sentence() {
    let scene = predictions();
    let none = scene.typed(&["predict", "twice"], "");
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.err.contains("cargo learn predict twice NUMBER"));
    scene.learn(&["predict", "twic"]).stopped(2, &["the nearest is twice"]);
    scene.learn(&["predict", "twice", "1", "2"]).stopped(2, &["one number"]);
    scene.write("book/listings/twice.out", "$ cargo run\nnothing\n");
    scene.learn(&["predict", "twice", "1"]).stopped(1, &["has no line 1"]);
    scene.write("exercises/predictions.toml", "[[");
    scene.learn(&["predict"]).stopped(1, &["git checkout exercises/pred"]);
}
