//! Handles that are cloned and dropped, and who is freed.

use serde_json::json;

use super::{button, choose, native, open, says, text, until};
use crate::Browser;

#[track_caller]
fn counts(browser: &mut Browser, steps: &str, rule: &str) {
    let answer = native(&format!("owners\n{steps}\n{rule}"));
    let counts = answer["counts"].as_array().unwrap().iter();
    let words = counts.zip(["a", "b", "c"]).map(|(count, name)| {
        match count.as_u64().unwrap() {
            0 => format!("{name} freed"),
            1 => format!("{name} 1 owner"),
            count => format!("{name} {count} owners"),
        }
    });
    let words = json!(words.collect::<Vec<_>>().join(", "));
    until(
        browser,
        &format!("document.querySelector('.stage svg').ariaLabel === {words}"),
    );
    let alive = format!("tensors alive: {}", answer["alive"]);
    assert_eq!(text(browser, ".stage p.way"), alive);
}

#[test]
fn a_ring_keeps_three_tensors_that_nobody_holds() {
    let page = "who-owns-the-graph.html";
    let Some(mut browser) = open(page, "owners") else { return };
    let it = &mut browser;
    counts(it, "", "told");
    button(it, "owners", "clone a");
    counts(it, "+a", "told");
    button(it, "owners", "Let go of all");
    counts(it, "+a-a-a-b-c", "told");
    says(it, "owners", "nothing is left");
    // A rule goes with its tensor.
    let picture = text(it, ".stage .picture");
    assert!(picture.contains("rule of c"), "{picture}");
    assert!(!picture.contains("owns two arrays"), "{picture}");
    let height = "document.querySelector('[data-figure=owners]').offsetHeight";
    let before = it.evaluate(height);
    button(it, "owners", "drop b");
    let wanted = native("owners\n+a-a-a-b-c-b\ntold");
    until(it, "document.querySelector('.refusal').innerText !== ''");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
    // What was said before it is gone, and nothing has moved for it.
    assert_eq!(it.evaluate(height), before);
    assert_eq!(text(it, "[data-figure=owners] .said"), "");

    choose(it, ".stage select", "captures");
    counts(it, "", "captures");
    // The ring is two thick arrows.
    let thick =
        "document.querySelectorAll('.stage path[stroke-width=\"3\"]').length";
    assert_eq!(it.evaluate(thick), json!(2));
    button(it, "owners", "Let go of all");
    counts(it, "-a-b-c", "captures");
    says(it, "owners", "3 tensors stay: c owns its rule, and its rule owns c");
    button(it, "owners", "Another product, dropped at once");
    counts(it, "-a-b-c*", "captures");
    assert_eq!(text(it, ".stage p.way"), "tensors alive: 6");
}

/// Every count is that of the program's handles and of the arrows.
#[test]
fn the_counts_are_those_of_the_arrows() {
    let answer = |steps: &str, rule: &str| {
        let answer = native(&format!("owners\n{steps}\n{rule}"));
        (answer["counts"].clone(), answer["alive"].clone())
    };
    assert_eq!(answer("", "told"), (json!([2, 2, 1]), json!(3)));
    assert_eq!(answer("", "captures"), (json!([3, 3, 2]), json!(3)));
    assert_eq!(answer("-a-b", "told"), (json!([1, 1, 1]), json!(3)));
    assert_eq!(answer("-c", "told"), (json!([1, 1, 0]), json!(2)));
    assert_eq!(answer("-a-b-c*", "captures"), (json!([2, 2, 1]), json!(6)));
}
