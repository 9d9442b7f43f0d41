//! Questions: what the terminal would say to an answer.

use serde_json::json;

use super::{focus, native, open, text, type_into, until};

#[test]
fn a_wrong_answer_gets_the_words_of_the_terminal_and_a_right_one_is_kept() {
    let Some(mut browser) = open("one-sweep.html", "task") else { return };
    let it = &mut browser;
    let said = "document.querySelector('[data-figure=task] .said').innerText";
    type_into(it, "[data-figure=task] input", "4");
    it.press("Enter");
    until(it, &format!("{said}.startsWith('Not yet')"));
    let wrong = native("task gradient\n4\nx\nx*x*x\nx=2");
    assert_eq!(wrong["right"], json!(false));
    let words = wrong["words"].as_str().unwrap();
    assert_eq!(text(it, ".words").trim(), words.trim());
    type_into(it, "[data-figure=task] input", "twelve");
    it.press("Enter");
    until(
        it,
        "document.querySelector('[data-figure=task] .refusal').innerText !== ''",
    );
    type_into(it, "[data-figure=task] input", "12");
    it.press("Enter");
    until(it, &format!("{said}.startsWith('Right')"));
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
            said.replace(").inner", ")?.inner")
        ),
    );
}

/// Every question of the book: a wrong answer gets the engine's words, and the
/// one that is folded below it is right.
#[test]
fn every_question_knows_its_answer() {
    let questions = [
        (
            "one-expression.html",
            "9",
            "10",
            "gradient\n{}\na\n(a+b)*a\na=3\nb=4",
        ),
        ("nudge-it.html", "0.25", "-0.25", "gradient\n{}\nb\na/b\na=1\nb=2"),
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
            "-1,2,2",
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
            "1,1,1",
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
        let said =
            "document.querySelector('[data-figure=task] .said').innerText";
        if wrong != right {
            type_into(it, "[data-figure=task] input", wrong);
            it.press("Enter");
            until(it, &format!("{said}.startsWith('Not yet')"));
            let words = asked(wrong)["words"].as_str().unwrap().to_string();
            assert_eq!(text(it, ".words").trim(), words.trim(), "{page}");
        }
        type_into(it, "[data-figure=task] input", right);
        it.press("Enter");
        until(it, &format!("{said}.startsWith('Right')"));
        assert_eq!(asked(right)["right"], json!(true), "{page}");
        // What is folded away begins with the same answer.
        let folded = "document.querySelector('[data-figure=task] details p').textContent";
        let folded = it.evaluate(folded).as_str().unwrap().replace(' ', "");
        let first = right.split(',').next().unwrap().replace(' ', "");
        assert!(folded.contains(&first), "{page}: {folded}");
    }
}
