//! The moons, trained in the page, and their border by epoch.

use super::{button, focus, native, open, text, until};

#[test]
fn the_border_bends_from_epoch_to_epoch() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "moons") else { return };
    let it = &mut browser;
    let line =
        "document.querySelector('[data-figure=moons] path').getAttribute('d')";
    let before = it.evaluate(line);
    button(it, "moons", "Train");
    until(
        it,
        "/Train again/.test(document.querySelector('[data-figure=moons]').innerText)",
    );
    native("moons begin");
    (1..100).for_each(|_| drop(native("moons epoch")));
    let last = native("moons epoch");
    let told = text(it, "[data-figure=moons] output");
    // Tangents have another last digit in the page, and 500 steps carry it
    // along.
    let right = 100.0 * last["accuracy"].as_f64().unwrap();
    let said: f64 = told.split("right ").nth(1).unwrap()[..4].parse().unwrap();
    assert!((said - right).abs() < 1.1, "{told}, {right} outside");
    assert!(told.starts_with("100: loss 0.0"), "{told}");
    let after = it.evaluate(line);
    assert_ne!(before, after);
    // The border of every epoch can be looked at again.
    focus(it, "[data-figure=moons] input[type=range]");
    it.press("Home");
    until(it, &format!("{line} === {before}"));
    assert_eq!(text(it, "[data-figure=moons] output"), "not trained");
    let pieces = native("moons border").as_array().unwrap().len();
    assert!(pieces > 400 && pieces.is_multiple_of(4), "{pieces}");
}
