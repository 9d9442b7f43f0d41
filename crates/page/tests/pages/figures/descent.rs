//! Gradient descent in a bowl and in a valley.

use serde_json::json;

use super::{choose, focus, middle, native, open, says, text, until};
use crate::Browser;

/// The trail in the picture is the engine's.
#[track_caller]
fn walks(browser: &mut Browser, question: &str) {
    let answer = native(question);
    let places = answer["places"].as_array().unwrap().iter();
    let points = places.map(|place| {
        let at = |i: usize| {
            let value: f64 = place[i].as_f64().unwrap();
            // The picture has two digits, and an edge.
            (100.0 * value.clamp(-99.0, 99.0)).round() / 100.0
        };
        format!("{:.1},{:.1}", 230.0 + 42.0 * at(0), 142.0 - 42.0 * at(1))
    });
    let points: Vec<String> = points.collect();
    // A tenth of a pixel may be rounded otherwise.
    let near = format!(
        "(() => {{
            const drawn = document.querySelector('.stage polyline').getAttribute('points').split(' ');
            const right = {};
            const parts = (it) => it.split(',').map(Number);
            return drawn.length === right.length && drawn.every((it, i) =>
                parts(it).every((part, k) => Math.abs(part - parts(right[i])[k]) < 0.5));
        }})()",
        json!(points)
    );
    until(browser, &near);
}

fn slide(name: &str) -> String {
    format!(".stage input[aria-label='{name}']")
}

#[test]
fn a_walk_in_a_valley_is_that_of_the_optimizer() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "descent") else { return };
    let it = &mut browser;
    walks(it, "descent valley\n-4.5,2\n0.095\n0\n20");
    says(it, "descent", "It changed sides 20 times.");
    focus(it, &slide("momentum"));
    (0..10).for_each(|_| it.press("ArrowRight"));
    walks(it, "descent valley\n-4.5,2\n0.095\n0.5\n20");
    focus(it, &slide("steps"));
    it.press("ArrowLeft");
    walks(it, "descent valley\n-4.5,2\n0.095\n0.5\n19");
    // Too large a rate leads away.
    focus(it, &slide("learning rate"));
    (0..3).for_each(|_| it.press("ArrowRight"));
    walks(it, "descent valley\n-4.5,2\n0.2\n0.5\n19");
    // With momentum a loss that has grown may yet fall.
    says(it, "descent", "So far the loss has grown.");
    let away =
        "document.querySelector('.said').innerText.includes('lead away')";
    assert_eq!(it.evaluate(away), json!(false));
    choose(it, ".stage select", "bowl");
    walks(it, "descent bowl\n-4.5,2\n0.2\n0.5\n19");
    // The start is moved by keys, and dragged.
    focus(it, ".handle");
    it.press("ArrowUp");
    walks(it, "descent bowl\n-4.5,2.5\n0.2\n0.5\n19");
    let [x, y] = middle(it, ".handle");
    let wide = "document.querySelector('.stage [role=group]').getBoundingClientRect().width";
    let unit = 42.0 * it.evaluate(wide).as_f64().unwrap() / 460.0;
    it.drag(&[[x, y], [x + unit, y], [x + 2.0 * unit, y]]);
    let label = "document.querySelector('.handle').ariaLabel";
    until(it, &format!("/start at -2.[45]/.test({label})"));
}

/// The curve rises to its last number, and numbers stand along both axes.
#[test]
fn a_loss_that_grows_is_drawn_as_it_grows() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "descent") else { return };
    let it = &mut browser;
    let heights = "[...document.querySelector('.stage .loss').points]\
                   .map((it) => it.y)";
    focus(it, &slide("learning rate"));
    it.press("End");
    walks(it, "descent valley\n-4.5,2\n2.1\n0\n20");
    let drawn = it.evaluate(heights);
    let drawn = drawn.as_array().unwrap().iter();
    let drawn: Vec<f64> = drawn.map(|y| y.as_f64().unwrap()).collect();
    let losses = native("descent valley\n-4.5,2\n2.1\n0\n20");
    let finite = losses["losses"].as_array().unwrap().iter();
    assert_eq!(drawn.len(), finite.filter(|loss| loss.is_number()).count());
    let rises = drawn.windows(2).all(|two| two[1] < two[0] - 0.5);
    assert!(rises && drawn.len() > 10, "{drawn:?}");
    // Beyond all numbers it leads away, too.
    focus(it, &slide("steps"));
    it.press("End");
    says(it, "descent", "after 60 steps");
    says(it, "descent", "The steps lead away");
    let last = native("descent valley\n-4.5,2\n2.1\n0\n60");
    assert_eq!(last["losses"][60], json!("NaN"));
    assert!(text(it, ".stage .picture").contains("60"));
}

/// One step in a bowl with a rate of 1 ends at its lowest point.
#[test]
fn a_rate_of_one_is_one_step_in_a_bowl() {
    let answer = native("descent bowl\n-4.5,2\n1\n0\n1");
    assert_eq!(answer["places"][1], json!([0.0, 0.0]));
    assert_eq!(answer["losses"], json!([12.125, 0.0]));
}
