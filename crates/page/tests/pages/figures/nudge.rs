//! The nudge, from long to short.

use serde_json::json;

use super::{focus, native, open, says, text, until};
use crate::Browser;

/// The rows of the table as the engine outside of the page gives them.
#[track_caller]
fn shows(browser: &mut Browser, function: &str, nudge: &str) {
    let answer = native(&format!("nudge {function}\n{nudge}"));
    let mut rows = Vec::new();
    for (name, key) in [
        ("f(2 + nudge)", "above"),
        ("f(2 \u{2212} nudge)", "below"),
        ("slope", "slope"),
    ] {
        let of = |kind: &str| answer[kind][key].as_str().unwrap().to_string();
        rows.push(format!("{name}\t{}\t{}", of("f32"), of("f64")));
    }
    let words = json!(rows.join("\n"));
    let body = "document.querySelector('.numbers tbody')?.innerText";
    until(browser, &format!("{body}?.startsWith({words})"));
}

/// How many points each curve has.
fn points(browser: &mut Browser) -> String {
    let script = "[...document.querySelectorAll('.stage path:is(.f32, .f64)')]\
                  .map((it) => it.getAttribute('d').match(/[ML]/g).length).join()";
    browser.evaluate(script).as_str().unwrap().to_string()
}

/// Promise: The nudge figure shows the error of each step size.
#[test]
fn a_nudge_leaves_its_error_where_the_slider_passes() {
    let Some(mut browser) = open("nudge-it.html", "nudge") else { return };
    let it = &mut browser;
    shows(it, "cube", "1e-2");
    assert_eq!(points(it), "1,1");
    assert!(text(it, ".numbers").contains("its relative error"));
    focus(it, ".stage input[type=range]");
    it.press("ArrowLeft");
    shows(it, "cube", "5e-3");
    it.press("ArrowLeft");
    shows(it, "cube", "2e-3");
    assert_eq!(points(it), "3,3");
    assert_eq!(text(it, ".stage .row output"), "2e-3");
    // Lengths that are no neighbors are not joined.
    let pieces = "document.querySelector('.stage .f32').getAttribute('d')\
                  .match(/M/g).length";
    assert_eq!(it.evaluate(pieces), 1);
    focus(it, ".stage input[type=range]");
    it.press("Home");
    shows(it, "cube", "1e-9");
    assert_eq!(points(it), "4,4");
    assert_eq!(it.evaluate(pieces), 2);
    (0..4).for_each(|_| it.press("PageUp"));
    focus(it, ".stage button");
    it.press("Enter");
    until(it, "document.querySelectorAll('.stage circle').length === 54");
    assert_eq!(points(it), "27,27");
    assert_eq!(it.evaluate(pieces), 1);
    // Where both kinds lie together, both are seen.
    let [ring, dot] = ["f32", "f64"].map(|kind| {
        let script = format!(
            "(() => {{ const it = [...document.querySelectorAll('.stage .{kind} ~ circle')]\
             .at(-1); return [it.getAttribute('cx'), it.getAttribute('cy'), \
             it.getAttribute('fill')].join(); }})()"
        );
        it.evaluate(&script).as_str().unwrap().to_string()
    });
    assert!(ring.ends_with(",none") && !dot.ends_with(",none"), "{ring} {dot}");
    assert_eq!(ring.split(',').next(), dot.split(',').next());
    // Another function is looked at in the same places.
    it.evaluate(
        "(() => { const choice = document.querySelector('.stage select'); \
         choice.value = 'quotient'; \
         choice.dispatchEvent(new Event('change')); })()",
    );
    until(it, "document.querySelectorAll('.stage circle').length === 54");
    says(it, "nudge", "right is -0.25");
    assert_eq!(points(it), "27,27");
}

/// The curve of the cube is that of the program and the still figure.
#[test]
fn the_worst_error_is_that_of_the_program() {
    for nudge in [1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-8, 1e-9] {
        let answer = native(&format!("nudge cube\n{nudge:e}"));
        let worst = |kind: &str| answer[kind]["worst"].as_f64().unwrap();
        // To read a number out of JSON may round its last digit.
        let same = |ours: f64, right: f64| (ours / right - 1.0).abs() < 1e-15;
        let [single, double] = [worst("f32"), worst("f64")];
        assert!(same(single, program::worst_in_f32(nudge)), "{nudge}");
        assert!(same(double, program::worst_in_f64(nudge)), "{nudge}");
    }
}

#[path = "../../../../../examples/part1_nudge.rs"]
#[allow(dead_code)]
mod program;
