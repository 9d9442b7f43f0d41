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
