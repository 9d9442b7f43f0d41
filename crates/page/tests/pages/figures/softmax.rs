//! Scores that are dragged, and what becomes of them.

use serde_json::json;

use super::{focus, native, open, type_into, until};
use crate::Browser;

/// The rows of the table, as the engine outside of the page gives them.
#[track_caller]
fn shows(browser: &mut Browser, scores: &str, right: usize) {
    let answer = native(&format!("softmax\n{scores}\n{right}"));
    let four = |key: &str| {
        let values = answer[key].as_array().unwrap().iter();
        let words = values.map(|it| format!("{:.4}", it.as_f64().unwrap()));
        format!("[{}]", words.collect::<Vec<_>>().join(", "))
    };
    let loss = format!("{:.4}", answer["loss"].as_f64().unwrap());
    let wanted = [four("shares"), loss, four("slopes")];
    let found = "[0, 2, 3].map((i) => \
                 document.querySelectorAll('.numbers td')[i].innerText)";
    let wanted = json!(json!(wanted).to_string());
    until(browser, &format!("JSON.stringify({found}) === {wanted}"));
}

/// Promise: The softmax figure overflows only in the naive formula.
#[test]
fn scores_can_be_dragged_and_overflow_only_as_defined() {
    let page = "matmul-and-softmax.html";
    let Some(mut browser) = open(page, "softmax") else { return };
    let it = &mut browser;
    shows(it, "1,2,3", 2);
    focus(it, ".stage input[type=range]");
    it.press("ArrowRight");
    shows(it, "1.5,2,3", 2);
    type_into(it, ".score:nth-of-type(2) input[type=number]", "-4");
    shows(it, "1.5,-4,3", 2);
    it.evaluate("document.querySelector('.stage input[type=radio]').click()");
    shows(it, "1.5,-4,3", 0);
    // The same shares, but as they are defined there are none.
    focus(it, ".stage button");
    it.press("Enter");
    shows(it, "101.5,96,103", 0);
    // The sliders stand where their scores are, and can still be dragged.
    let slides = "[...document.querySelectorAll('.stage input[type=range]')]\
                  .map((it) => it.value).join()";
    assert_eq!(it.evaluate(slides), json!("101.5,96,103"));
    focus(it, ".stage input[type=range]");
    it.press("ArrowRight");
    shows(it, "102,96,103", 0);
    it.press("ArrowLeft");
    shows(it, "101.5,96,103", 0);
    let defined = "document.querySelectorAll('.numbers td')[1].innerText";
    until(it, &format!("{defined} === '[NaN, NaN, NaN]'"));
    assert_eq!(
        native("softmax\n101.5,96,103\n0")["defined"],
        json!("[NaN, NaN, NaN]")
    );
}

/// What is typed beyond a slider's ends moves its ends.
#[test]
fn a_score_far_away_takes_its_slider_along() {
    let page = "matmul-and-softmax.html";
    let Some(mut browser) = open(page, "softmax") else { return };
    let it = &mut browser;
    type_into(it, ".score input[type=number]", "-75");
    shows(it, "-75,2,3", 2);
    let slide = "document.querySelector('.stage input[type=range]').value";
    assert_eq!(it.evaluate(slide), json!("-75"));
    // Each choice has a word that everybody sees.
    let labels = "[...document.querySelectorAll('.stage input[type=radio]')]\
                  .map((it) => it.labels[0].innerText.trim()).join()";
    assert_eq!(it.evaluate(labels), json!("0,1,2"));
}
