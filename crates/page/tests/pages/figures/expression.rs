//! The reader's own expression.

use super::{focus, middle, native, open, says, text, type_into, until};
use crate::Browser;

const PAGE: &str = "one-expression.html";

/// The rows of the verdict, as the engine outside of the page gives them.
fn verdict(question: &str) -> String {
    let answer = native(question);
    let rows = answer["inputs"].as_array().expect("inputs").iter().map(|it| {
        let word = |key: &str| it[key].as_str().unwrap().to_string();
        ["name", "engine", "nudged", "word"].map(word).join("\t")
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn shows(browser: &mut Browser, question: &str) {
    let wanted = verdict(question);
    let words = serde_json::json!(wanted);
    let rows = "document.querySelector('.verdict tbody')?.innerText";
    until(browser, &format!("{rows} === {words}"));
}

/// Promise: The expression figure can be typed into, and its leaves can be
/// dragged.
#[test]
fn an_expression_can_be_typed_and_its_leaves_dragged() {
    let Some(mut browser) = open(PAGE, "expression") else { return };
    let it = &mut browser;
    shows(it, "try own\n(a*b)*b\na=2,3\nb=3,4");
    // By keyboard: a step of the slider is a quarter.
    focus(it, ".leaves input[type=range]");
    it.press("ArrowRight");
    shows(it, "try own\n(a*b)*b\na=2.25,3\nb=3,4");
    assert!(it.evaluate("location.pathname").to_string().contains(PAGE));
    // By mouse: to the middle, where 0 is.
    let there = middle(it, ".leaves input[type=range]");
    it.drag(&[[there[0] + 40.0, there[1]], there]);
    shows(it, "try own\n(a*b)*b\na=0,3\nb=3,4");
    type_into(it, ".leaves input[type=number]", "0.1");
    shows(it, "try own\n(a*b)*b\na=0.1,3\nb=3,4");
    // What nobody can read is told in the words of the terminal, and the
    // last picture stays.
    type_into(it, ".typed input", "(a*b");
    let refused = "document.querySelector('.refusal').innerText !== ''";
    until(it, refused);
    let wanted = native("try own\n(a*b\na=0.1,3\nb=3,4");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
    let old = "document.querySelectorAll('.stage .old').length";
    assert_eq!(it.evaluate(old), 2);
    says(it, "expression", "still that of (a*b)*b.");
    // A name that is new gets a value.
    type_into(it, ".typed input", "softmax(a) * k");
    shows(it, "try own\nsoftmax(a)*k\na=0.1,3\nk=2,3");
    assert_eq!(it.evaluate(old), 0);
    until(
        it,
        "/the gradients of that sum: a .*agree/.test(document.querySelector('.said').innerText)",
    );
}

/// What cannot be judged says why, for the eye and for the ear.
#[test]
fn a_question_mark_has_its_reason() {
    let Some(mut browser) = open(PAGE, "expression") else { return };
    let it = &mut browser;
    type_into(it, ".typed input", "a/b");
    until(it, "document.querySelectorAll('.verdict tbody tr').length === 2");
    for element in 1..3 {
        let number = format!(
            ".leaves fieldset:nth-of-type(2) .leaf:nth-of-type({element}) \
             input[type=number]"
        );
        type_into(it, &number, "0");
    }
    let answer = native("try own\na/b\na=2,3\nb=0,0");
    let note = answer["inputs"][1]["note"].as_str().expect("a reason");
    assert_eq!(answer["inputs"][1]["word"], "?");
    let words = serde_json::json!(format!("b: {note}"));
    let reasons = "[...document.querySelectorAll('.verdict .reason')]\
                   .map((it) => it.innerText)";
    until(it, &format!("{reasons}.includes({words})"));
    says(it, "expression", note);
}

/// In the sweep each part of a sum is seen as it arrives.
///
/// Promise: The tape figure plays forward and backward one partial gradient at
/// a time.
#[test]
fn a_tape_is_played_forward_and_backward_part_by_part() {
    let Some(mut browser) = open(PAGE, "expression") else { return };
    let it = &mut browser;
    let seen = "[...document.querySelectorAll('.stage svg text')]\
                .filter((it) => it.checkVisibility())\
                .map((it) => it.textContent)";
    let sees = |it: &mut Browser, words: &str| {
        let words = serde_json::json!(words);
        it.evaluate(&format!("{seen}.includes({words})")) == true
    };
    assert!(sees(it, "\u{2207} [12, 24]") && !sees(it, "\u{2207} [6, 12] +"));
    focus(it, ".stage .steps button:nth-of-type(2)");
    // Three steps forward, the seed, the sum's rule, and that of d.
    for _ in 0..6 {
        it.press("Enter");
    }
    let words = text(it, ".stage .steps output");
    assert!(words.starts_with("6 of 7. Backward: mul gives"), "{words}");
    assert!(sees(it, "\u{2207} [6, 12] +"), "{words}");
    it.press("ArrowRight");
    assert!(!sees(it, "\u{2207} [6, 12] +") && sees(it, "\u{2207} [12, 24]"));
    // A leaf that is dragged keeps the step, another expression begins anew.
    focus(it, ".leaves input[type=range]");
    it.press("ArrowRight");
    shows(it, "try own\n(a*b)*b\na=2.25,3\nb=3,4");
    let step = text(it, ".stage .steps output");
    assert!(step.starts_with("7 of 7."), "{step}");
    type_into(it, ".typed input", "a*b");
    shows(it, "try own\na*b\na=2.25,3\nb=3,4");
    assert_eq!(text(it, ".stage .steps output"), "");
    assert!(sees(it, "\u{2207} [3, 4]"));
}
