//! Each figure is operated as a reader would, and its numbers are those of the
//! engine outside of the page.

mod broadcast;
mod climb;
mod descent;
mod diamond;
mod digits;
mod expression;
mod group;
mod moons;
mod nudge;
mod owners;
mod saved;
mod softmax;
mod strides;
mod task;
mod tiles;
mod touch;
mod tree;
mod warp;

use serde_json::{Value, json};

use crate::{Browser, browser_or_skip, engine, site};

/// A page whose figure has begun, on a narrow screen as on a wide one.
pub(crate) fn open(page: &str, figure: &str) -> Option<Browser> {
    let (mut browser, folder) = browser_or_skip()?;
    browser.screen(390, "light");
    browser.open(&site::address(&folder.join(page)));
    let begun = format!("figure[data-figure={figure}]");
    let words = json!(begun);
    browser.evaluate(&format!(
        "document.querySelector({words}).scrollIntoView({{ block: 'center' }})"
    ));
    let live = json!(format!("{begun}.live"));
    until(&mut browser, &format!("document.querySelector({live}) !== null"));
    let since = browser.evaluate("Math.round(performance.now())");
    println!("{figure} can be touched after {since} ms");
    Some(browser)
}

/// Waits until a condition of the page holds.
#[track_caller]
pub(crate) fn until(browser: &mut Browser, condition: &str) {
    let script = format!(
        "(async () => {{
            const end = performance.now() + 20000;
            while (performance.now() < end) {{
                if ({condition}) return true;
                await new Promise((next) => setTimeout(next, 20));
            }}
            return false;
        }})()"
    );
    assert_eq!(browser.evaluate(&script), json!(true), "{condition}");
}

/// The text of what is found in the page.
pub(crate) fn text(browser: &mut Browser, selector: &str) -> String {
    let selector = json!(selector);
    let found = browser
        .evaluate(&format!("document.querySelector({selector})?.innerText"));
    found.as_str().unwrap_or_default().to_string()
}

/// The middle of what is found in the page, in the window.
pub(crate) fn middle(browser: &mut Browser, selector: &str) -> [f64; 2] {
    let selector = json!(selector);
    let place = browser.evaluate(&format!(
        "(() => {{
            const found = document.querySelector({selector});
            found.scrollIntoView({{ block: 'center' }});
            const box = found.getBoundingClientRect();
            return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        }})()"
    ));
    [0, 1].map(|i: usize| place[i].as_f64().expect("a place"))
}

/// Gives the focus to what is found in the page.
pub(crate) fn focus(browser: &mut Browser, selector: &str) {
    let selector = json!(selector);
    browser.evaluate(&format!("document.querySelector({selector}).focus()"));
}

/// Types into what is found in the page, in the place of what it holds.
pub(crate) fn type_into(browser: &mut Browser, selector: &str, words: &str) {
    let found = json!(selector);
    browser.evaluate(&format!("document.querySelector({found}).select()"));
    focus(browser, selector);
    browser.call("Input.insertText", json!({ "text": words }));
}

/// Chooses among the options of a list, as a hand would.
pub(crate) fn choose(browser: &mut Browser, selector: &str, value: &str) {
    let (selector, value) = (json!(selector), json!(value));
    browser.evaluate(&format!(
        "(() => {{
            const choice = document.querySelector({selector});
            choice.value = {value};
            choice.dispatchEvent(new Event('change'));
        }})()"
    ));
}

/// Presses the button of these words, by the keyboard.
pub(crate) fn button(browser: &mut Browser, figure: &str, words: &str) {
    let found = json!(format!("figure[data-figure={figure}] button"));
    let words = json!(words);
    browser.evaluate(&format!(
        "[...document.querySelectorAll({found})]\
         .find((it) => it.innerText === {words}).focus()"
    ));
    browser.press("Enter");
}

/// Waits until a figure says such a sentence.
#[track_caller]
pub(crate) fn says(browser: &mut Browser, figure: &str, sentence: &str) {
    let said = json!(format!("figure[data-figure={figure}] .said"));
    let sentence = json!(sentence);
    until(
        browser,
        &format!(
            "document.querySelector({said}).innerText.includes({sentence})"
        ),
    );
}

/// The engine outside of the page.
pub(crate) fn native(question: &str) -> Value {
    engine::native(question)
}
