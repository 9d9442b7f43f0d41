//! The diamond, visited by mouse and by keys.

use serde_json::json;

use super::{focus, middle, native, open, says, text, until};
use crate::Browser;

fn click(browser: &mut Browser, node: &str) {
    let place = middle(browser, &format!("[data-node={node}]"));
    browser.drag(&[place]);
}

/// The gradients at the leaves, in this order and outside of the page.
#[track_caller]
fn shows(browser: &mut Browser, order: &str, kept: &str) -> [f64; 2] {
    let answer = native(&format!("diamond\n{order}\n{kept}"));
    let last = answer["visits"].as_array().unwrap().last().unwrap();
    let leaves = ["a", "b"].map(|leaf| last["grads"][leaf].as_f64().unwrap());
    let found = "[...document.querySelectorAll('.ends tbody tr')]\
                 .map((row) => Number(row.cells[1].innerText)).join()";
    let [a, b] = leaves;
    until(browser, &format!("{found} === {}", json!(format!("{a},{b}"))));
    leaves
}

/// Promise: The diamond figure shows a right and a wrong order of the backward
/// pass.
#[test]
fn a_diamond_is_right_in_one_order_and_wrong_in_another() {
    let Some(mut browser) = open("one-sweep.html", "diamond") else { return };
    let it = &mut browser;
    "edcba".chars().for_each(|node| click(it, &node.to_string()));
    assert_eq!(shows(it, "edcba", "map"), [12.0, 14.0]);
    assert!(text(it, ".ends").contains("right"));
    says(it, "diamond", "All five have been visited, and a and b are right.");
    // Whoever gave its gradient away says so, and each visit has its number.
    let c = "document.querySelector('[data-node=c]').textContent";
    let c = it.evaluate(c).to_string();
    assert!(c.contains("passed on") && c.contains("visit 3"), "{c}");

    // The figure's wrong order, by keys: c passes on what it has too early,
    // and what d gives it afterwards stays there.
    focus(it, ".stage .row:nth-of-type(3) button");
    it.press("Enter");
    until(
        it,
        "document.querySelector('.ends td:nth-child(2)').innerText === ''",
    );
    for node in ["e", "c", "d"] {
        focus(it, &format!("[data-node={node}]"));
        it.press("Enter");
        until(
            it,
            &format!(
                "/visited as/.test(document.querySelector('[data-node={node}]').ariaLabel)"
            ),
        );
    }
    assert_eq!(shows(it, "ecd", "map"), [3.0, 8.0]);
    until(
        it,
        "/Still to pass on: 3 at c/.test(document.querySelector('.said').innerText)",
    );
    says(it, "diamond", "d gives 3 to c and 6 to b, and keeps nothing.");
    for node in ["b", "a"] {
        click(it, node);
    }
    assert_eq!(shows(it, "ecdba", "map"), [3.0, 8.0]);
    says(
        it,
        "diamond",
        "a is wrong: it has 3, and 12 would be right; b is wrong",
    );

    // Nobody can pass on what nobody has given.
    it.evaluate("document.querySelectorAll('.stage button')[0].click()");
    until(
        it,
        "document.querySelector('.ends td:nth-child(2)').innerText === ''",
    );
    click(it, "c");
    until(it, "document.querySelector('.refusal').innerText !== ''");
    let wanted = native("diamond\nc\nmap");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
}

/// Who has given its gradient away is told so, and not that it has none yet.
#[test]
fn a_second_visit_finds_nothing_to_pass_on() {
    let refusal = |order: &str| {
        let answer = native(&format!("diamond\n{order}\nmap"));
        answer["refusal"].as_str().unwrap_or_default().to_string()
    };
    let gone = "d has passed on what it had, and keeps nothing";
    assert_eq!(refusal("edd"), gone);
    assert_eq!(refusal("edcba+edd"), gone);
    // Another backward begins with nothing on its way.
    let yet = "d has no gradient yet; visit first what was made of it";
    assert_eq!(refusal("ed+d"), yet);
    // What has got something again has something to pass on.
    assert_eq!(refusal("ecdc"), "");
}

/// Where gradients stay at their tensors, the second call is wrong.
#[test]
fn a_second_backward_is_right_where_nothing_is_left_on_the_way() {
    let last = |kept: &str| {
        let answer = native(&format!("diamond\nedcba+edcba\n{kept}"));
        let visits = answer["visits"].as_array().unwrap();
        let grads = visits.last().unwrap()["grads"].clone();
        (grads["a"].as_f64().unwrap(), answer["right"]["a"].as_f64().unwrap())
    };
    assert_eq!(last("map"), (24.0, 24.0));
    // What a wrong order leaves on its way ends with its map.
    let healed = native("diamond\necdab+edcab\nmap");
    let grads = healed["visits"].as_array().unwrap().last().unwrap();
    assert_eq!(grads["grads"]["a"], 15.0);
    assert_eq!(grads["grads"]["b"], 22.0);
    // c has 4 still, gets 1 + 3 + more of d's, and gives it all again.
    let (step4, right) = last("tensors");
    assert_eq!(right, 24.0);
    assert!(step4 > right, "{step4}");
}
