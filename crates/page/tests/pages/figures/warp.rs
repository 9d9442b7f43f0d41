//! The places of a warp, and the lines that hold them.

use serde_json::json;

use super::{focus, native, open, text, type_into, until};
use crate::Browser;

#[track_caller]
fn shows(browser: &mut Browser, stride: usize, first: usize) {
    let answer = native(&format!("warp\n{stride}\n{first}"));
    let count = |key: &str| answer[key].as_array().unwrap().len().to_string();
    let number = |key: &str| answer[key].to_string();
    let wanted =
        [count("lines"), count("sectors"), number("fetched"), number("used")];
    let wanted = json!(wanted.join(","));
    let found = "[...document.querySelectorAll('.numbers td')].slice(0, 4)\
                 .map((it) => it.innerText).join()";
    until(browser, &format!("{found} === {wanted}"));
    // A rectangle for each sector, and for each number.
    let drawn = |opacity: &str| {
        format!(
            "document.querySelectorAll('.stage svg rect{opacity}[fill*=gpu]').length"
        )
    };
    until(
        browser,
        &format!("{} === {}", drawn("[fill-opacity]"), count("sectors")),
    );
}

/// Promise: The warp figure shows which cache lines a warp touches.
#[test]
fn a_warp_shows_which_lines_it_touches() {
    let Some(mut browser) = open("neighbors.html", "warp") else {
        return;
    };
    let it = &mut browser;
    shows(it, 1, 0);
    focus(it, ".stage input[type=range]");
    it.press("ArrowRight");
    shows(it, 2, 0);
    focus(it, ".stage .row:nth-of-type(3) input");
    it.press("ArrowRight");
    shows(it, 2, 1);
    type_into(it, ".stage input[type=number]", "100");
    shows(it, 100, 1);
    // However many lines there are, the picture is as high.
    let height = "document.querySelector('.stage svg').clientHeight";
    let before = it.evaluate(height);
    type_into(it, ".stage input[type=number]", "1024");
    shows(it, 1024, 1);
    assert_eq!(it.evaluate(height), before);
    assert!(text(it, ".stage .legend").contains("a sector that is fetched"));
    focus(it, ".stage button:nth-of-type(4)");
    it.press("Enter");
    shows(it, 0, 0);
    assert!(
        text(it, ".stage .row:nth-of-type(4) output").starts_with("0: a[0]")
    );
    type_into(it, ".stage input[type=number]", "5000");
    until(it, "document.querySelector('.refusal').innerText !== ''");
    let wanted = native("warp\n5000\n0");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
}

/// A row for each item asks for as many lines as the program of the chapter
/// counts, and a team for one.
///
/// Promise: The warp figure counts the cache lines that the chapter's program
/// counts.
#[test]
fn the_lines_of_a_page_are_those_of_the_program() {
    let lines = |stride: usize, first: usize| {
        native(&format!("warp\n{stride}\n{first}"))["lines"]
            .as_array()
            .unwrap()
            .len()
    };
    for step in 0..100 {
        assert_eq!(lines(100, step), program::pieces(&program::rows(0, step)));
    }
    assert_eq!(lines(1, 32), program::pieces(&program::team(0, 1)));
}

#[path = "../../../../../examples/part2_pieces.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;
