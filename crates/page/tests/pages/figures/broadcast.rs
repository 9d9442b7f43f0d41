//! Broadcasting: an element, its copies, and the sum that comes back.

use super::{
    choose, focus, middle, native, open, says, text, type_into, until,
};
use crate::Browser;

/// The cells of one of the three arrays that are lit, by number.
fn lit(browser: &mut Browser, array: usize) -> String {
    let script = format!(
        "[...document.querySelectorAll('.cells')[{array}].children]\
         .flatMap((it, i) => it.matches('.lit') ? [i] : []).join()"
    );
    browser.evaluate(&script).as_str().unwrap().to_string()
}

/// The gradients that stand in one of the arrays are the engine's.
#[track_caller]
fn shows(browser: &mut Browser, question: &str) {
    let answer = native(question);
    for (array, grads) in
        [&answer["a"]["grad"], &answer["b"]["grad"], &answer["back"]]
            .into_iter()
            .enumerate()
    {
        let grads = grads.as_array().unwrap().iter();
        let words =
            grads.map(|it| format!("\u{2207} {}", it.as_f64().unwrap()));
        let words = serde_json::json!(words.collect::<Vec<_>>().join(","));
        let found = format!(
            "[...(document.querySelectorAll('.cells')[{array}]\
             ?.querySelectorAll('.grad') ?? [])].map((it) => it.innerText).join()"
        );
        until(browser, &format!("{found} === {words}"));
    }
}

#[test]
fn an_element_lights_its_copies_and_the_sum_is_told() {
    let page = "shapes-that-stretch.html";
    let Some(mut browser) = open(page, "broadcast") else { return };
    let it = &mut browser;
    shows(it, "broadcast\n2,1\n1,3");
    let first = native("broadcast\n2,1\n1,3");
    assert_eq!(first["a"]["grad"], serde_json::json!([140.0, 320.0]));
    // By keys: from the first element of a to the second.
    focus(it, ".cells [tabindex='0']");
    it.press("ArrowDown");
    says(
        it,
        "broadcast",
        "4 \u{d7} 10 + 5 \u{d7} 20 + 6 \u{d7} 30 = 40 + 100 + 180 = 320",
    );
    assert_eq!(lit(it, 2), "3,4,5");
    // By touch or mouse: a place of the product.
    let place = middle(it, ".array:last-of-type .cell:nth-child(2)");
    it.drag(&[place]);
    says(it, "broadcast", "c[0, 1] = 1 \u{d7} 20 = 20");
    assert_eq!((lit(it, 0), lit(it, 1)), ("0".to_string(), "1".to_string()));
    // A shape without axes has one element, and it is everywhere.
    choose(it, ".stage select", "2,3");
    shows(it, "broadcast\n2,3\n");
    focus(it, ".cells[aria-label^='b'] .cell");
    says(it, "broadcast", "stands in 6 places of c");
    // What does not fit is refused in the words of the terminal.
    type_into(it, ".stage input[aria-label='shape of b']", "2");
    let wanted = native("broadcast\n2,3\n2");
    until(it, "document.querySelector('.refusal').innerText !== ''");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
    type_into(it, ".stage input[aria-label='shape of b']", "0,1,1");
    type_into(it, ".stage input[aria-label='shape of a']", "3");
    says(it, "broadcast", "no elements");
}
