//! Questions: what the terminal would say to an answer.

use serde_json::json;

use super::{focus, native, open, text, type_into, until};
use crate::Browser;

/// The status of the question.
const SAID: &str =
    "document.querySelector('[data-figure=task] .said').innerText";

/// Writes an answer and waits for what is said of it.
#[track_caller]
fn answers(browser: &mut Browser, yours: &str, words: &str) {
    type_into(browser, "[data-figure=task] input", yours);
    browser.press("Enter");
    until(browser, &format!("{SAID}.startsWith({})", json!(words)));
}

/// Promise: A wrong answer on a page gets a reason, the third attempt gets the
/// verdict of the terminal, and only this browser stores a right answer.
#[test]
fn a_wrong_answer_gets_a_reason_then_the_verdict_and_a_right_one_is_kept() {
    let Some(mut browser) = open("one-sweep.html", "task") else { return };
    let it = &mut browser;
    let wrong = native("task gradient\n4\nx\nx*x*x\nx=2");
    assert_eq!(wrong["right"], json!(false));
    let hint = "document.querySelector('[data-figure=task] .hint').open";
    assert_eq!(it.evaluate(hint), json!(false));
    answers(it, " ", "Write an answer first");
    // The reason names no right number, and the hint is unfolded.
    answers(it, "4", "Not yet. It is more than 4.");
    assert_eq!(it.evaluate(hint), json!(true));
    assert_eq!(text(it, ".words"), "");
    answers(it, "18", "Not yet. It is less than 18.");
    assert_eq!(text(it, ".words"), "");
    answers(it, "4", "Not yet. The whole verdict stands above.");
    let words = wrong["words"].as_str().unwrap();
    assert_eq!(text(it, ".words").trim(), words.trim());
    assert!(words.contains("12.0000") && words.ends_with("no known pattern"));
    type_into(it, "[data-figure=task] input", "twelve");
    it.press("Enter");
    until(
        it,
        "document.querySelector('[data-figure=task] .refusal').innerText !== ''",
    );
    assert_eq!(text(it, ".words"), "");
    answers(it, "24/2", "Right");
    assert_eq!(
        native("task gradient\n12\nx\nx*x*x\nx=2")["right"],
        json!(true)
    );
    focus(it, "[data-figure=task] input");
    it.evaluate("location.reload()");
    std::thread::sleep(std::time::Duration::from_secs(1));
    until(it, "document.querySelector('[data-figure=task]') !== null");
    it.evaluate(
        "document.querySelector('[data-figure=task]').scrollIntoView()",
    );
    until(
        it,
        &format!(
            "{}?.startsWith('You were right')",
            SAID.replace(").inner", ")?.inner")
        ),
    );
}

/// Every question of the book: a wrong answer gets the engine's words, and the
/// one that is folded below it is right.
///
/// Promise: Every question on a page accepts its own answer.
#[test]
fn every_question_knows_its_answer() {
    let questions = [
        (
            "one-expression.html",
            "9",
            "10",
            "gradient\n{}\na\n(a+b)*a\na=3\nb=4",
        ),
        ("nudge-it.html", "0.5", "-1/4", "gradient\n{}\nb\na/b\na=1\nb=2"),
        ("a-tensor-that-remembers.html", "abdce", "a b c d e", "order\n{}"),
        (
            "backward-by-hand.html",
            "36",
            "54",
            "gradient\n{}\nb\n(a*b)*(b*b)\na=2\nb=3",
        ),
        ("who-owns-the-graph.html", "2", "4", "owners\n{}\na\n+a-c\ncaptures"),
        (
            "few-rules-many-operations.html",
            "-1,1,2",
            "-1,2,2",
            "gradient\n{}\nx\nrelu(x)+abs(x)\nx=-1,0.5,2",
        ),
        (
            "shapes-that-stretch.html",
            "2",
            "6",
            "gradient\n{}\na\na*b\na=2\nb=1,2,3",
        ),
        (
            "matmul-and-softmax.html",
            "1,2,1",
            "0,0,0",
            "gradient\n{}\na\nsum(softmax(a))\na=1,2,3",
        ),
        (
            "train-the-digits.html",
            "2.43",
            "2.16",
            "place\n{}\nbowl\n3,0\n0.1\n0.9\n2",
        ),
    ];
    for (page, wrong, right, question) in questions {
        let Some(mut browser) = open(page, "task") else { return };
        let it = &mut browser;
        let asked = |yours: &str| {
            native(&format!("task {}", question.replace("{}", yours)))
        };
        let judged = asked(wrong);
        let reason = judged["reason"].as_str().unwrap();
        let first = right.split(',').next().unwrap();
        assert!(!reason.contains(right), "{page}: {reason}");
        for _ in 0..2 {
            answers(it, wrong, &format!("Not yet. {reason}"));
        }
        // An order's reason is all that there is to say of it.
        let words = judged["words"].as_str().unwrap();
        if words == reason {
            answers(it, wrong, &format!("Not yet. {reason}"));
        } else {
            answers(it, wrong, "Not yet. The whole verdict");
            assert_eq!(text(it, ".words").trim(), words.trim(), "{page}");
        }
        // On a narrow screen, too, all columns of its table are seen.
        let hidden = "(() => { const it = document.querySelector('[data-figure=task] \
                      .words'); return it.scrollWidth - it.clientWidth; })()";
        assert!(it.evaluate(hidden).as_f64().unwrap() <= 1.0, "{page}");
        answers(it, right, "Right");
        assert_eq!(asked(right)["right"], json!(true), "{page}");
        // What is folded away begins with the same answer.
        let folded = "document.querySelector('[data-figure=task] details:not(.hint) p').textContent";
        let folded = it.evaluate(folded).as_str().unwrap().replace(' ', "");
        let first = first.replace(" ", "").replace("-1/4", "-0.25");
        assert!(folded.contains(&first), "{page}: {folded}");
    }
}

/// What is said of a wrong answer before the right one is shown.
///
/// Promise: The reason for a wrong answer does not reveal the right one.
#[test]
fn a_reason_leaves_the_answer_to_be_found() {
    let of = |yours: &str, about: &str| {
        let answer = native(&format!("task {}", about.replace("{}", yours)));
        let word = |key: &str| answer[key].as_str().map(str::to_string);
        word("reason").or(word("refusal")).unwrap_or("right".to_string())
    };
    let one = |yours| of(yours, "gradient\n{}\nb\na/b\na=1\nb=2");
    assert_eq!(one("0.25"), "The sign is wrong.");
    assert_eq!(one("0"), "0 is the slope of what does not move at all.");
    assert_eq!(one("-0.3"), "It is more than -0.3.");
    assert_eq!(one("[-0.25]"), "right");
    assert_eq!(one("\u{2212}1 / 4"), "right");
    assert!(one("-1/0").starts_with("`-1/0` is no number"));
    assert!(one("nan").starts_with("`nan` is no number"));
    let words = "It has one number, and yours 2 numbers: a gradient has the \
                 shape of its tensor.";
    assert_eq!(one("1,2"), words);
    let list = |yours| of(yours, "gradient\n{}\nx\nrelu(x)+abs(x)\nx=-1,0.5,2");
    assert_eq!(list("1,2,1"), "Not right are elements 0, 2, counted from 0.");
    assert_eq!(list("0,1,1"), "No element is right.");
    assert_eq!(list("-1,2,1"), "Not right is element 2, counted from 0.");
    assert_eq!(list("-2,4,4"), "Every element is off by the same factor.");
    let owners = |yours| of(yours, "owners\n{}\na\n+a-c\ncaptures");
    assert_eq!(
        [owners("3"), owners("5")],
        ["It is more than 3.", "It is less than 5."]
    );
    assert!(owners("1,2").starts_with("`1,2` are several numbers"));
    assert_eq!(of("A B C D E", "order\n{}"), "right");
}
