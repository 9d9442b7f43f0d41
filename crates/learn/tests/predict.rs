//! `cargo learn predict`: guess a number before a program shows it.

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
fn the_answer_is_shown_after_the_guess() {
    let scene = predictions();
    let said = scene.learn_with_input(&["predict"], "a dozen\n18\n");
    said.succeeds().prints("What is there after two?");
    said.prints("That is not a number").prints("Right: 18.");
    said.prints("after two: 18").prints("The same is added again.");
    said.prints("See for yourself: cargo run --example twice");
    said.prints("Next question: cargo learn predict below");
    scene.learn(&["predict", "below", "-3"]).succeeds().prints("Right: -3.");
    scene.learn(&["predict"]).succeeds().prints("answered every question");
}

/// Promise: A typical wrong guess is explained.
#[test]
fn a_typical_wrong_guess_is_explained() {
    let scene = predictions();
    let said = scene.learn(&["predict", "twice", "9"]);
    said.succeeds().prints("You said 9; the program prints 18.");
    said.prints("That is once.");
    let other = scene.learn(&["predict", "twice", "7"]);
    assert!(!other.succeeds().out.contains("That is once."));
    let list = scene.learn(&["predict", "--list"]);
    list.succeeds().prints("other   twice").prints("0 of 2 were right");
    scene.learn(&["predict", "twice", "18"]).succeeds();
    let list = scene.learn(&["predict", "--list"]);
    list.prints("right   twice").prints("1 of 2 were right");
}

#[test]
fn an_invalid_question_is_reported_in_a_sentence() {
    let scene = predictions();
    let none = scene.learn_with_input(&["predict", "twice"], "");
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.err.contains("cargo learn predict twice NUMBER"));
    scene.learn(&["predict", "twic"]).fails_with(2, &["did you mean twice?"]);
    scene.learn(&["predict", "twice", "1", "2"]).fails_with(2, &["one number"]);
    scene.write("book/listings/twice.out", "$ cargo run\nnothing\n");
    scene.learn(&["predict", "twice", "1"]).fails_with(1, &["has no line 1"]);
    scene.write("exercises/predictions.toml", "[[");
    scene.learn(&["predict"]).fails_with(1, &["git checkout exercises/pred"]);
}
