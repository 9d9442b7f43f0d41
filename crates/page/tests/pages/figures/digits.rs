//! The digits, trained in the page.

use serde_json::{Value, json};

use super::{button, focus, middle, native, open, says, text, until};
use crate::Browser;
use crate::engine::apart;

/// The shares that stand beside the bars, as percents.
fn shares(browser: &mut Browser) -> Vec<f64> {
    let script = "[...document.querySelectorAll('.bar span')]\
                  .map((it) => parseFloat(it.innerText.trim().split(/ +/)[2]))";
    let shares = browser.evaluate(script);
    shares.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
}

/// Says what the canvas holds, as the question that the page asks.
fn winner(browser: &mut Browser) -> String {
    text(browser, ".bar.wins span").trim()[..1].to_string()
}

/// Promise: The digits figure trains in the page and scores a drawing.
#[test]
fn the_digits_are_trained_in_the_page_and_a_drawing_gets_its_scores() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "digits") else { return };
    let it = &mut browser;
    assert_eq!(text(it, ".stage output"), "1438 digits to learn, 359 held out");
    // The numbers of the untrained network are the same everywhere.
    native("digits begin");
    let first = native("digits shown\n0");
    let pixels: Vec<String> = first["pixels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pixel| pixel.to_string())
        .collect();
    let drawing = format!("digits scores\n{}", pixels.join(","));
    let untrained = native(&drawing);
    until(it, "document.querySelectorAll('.bar').length === 10");
    agree(&untrained["shares"], &shares(it));

    it.evaluate(
        "window.drawings = 0; new MutationObserver(() => { drawings += 1; })\
         .observe(document.querySelector('[data-figure=digits] .picture'), { childList: true })",
    );
    focus(it, "[data-figure=digits] .stage button");
    it.press("Enter");
    until(
        it,
        "document.querySelector('[data-figure=digits]').dataset.seconds > 0",
    );
    // Where nobody wants motion, the curves are drawn once, with all epochs.
    assert_eq!(it.evaluate("drawings"), 1);
    let points =
        "document.querySelector('[data-figure=digits] polyline').points.length";
    assert_eq!(it.evaluate(points), 20);
    let epochs: Vec<Value> = (0..20).map(|_| native("digits epoch")).collect();
    let last = &epochs[19];
    let told = text(it, ".stage output");
    let right = 100.0 * last["accuracy"].as_f64().unwrap();
    assert!(told.starts_with("epoch 20: loss 0.0"), "{told}");
    // Sums and exponentials have another last digit in the page, and 900 steps
    // carry it along: a few of the 359 may be read otherwise.
    let said: f64 = told.split("right ").nth(1).unwrap()[..4].parse().unwrap();
    assert!((said - right).abs() < 1.2, "{told}, {right} outside");
    let seconds = it.evaluate(
        "Number(document.querySelector('[data-figure=digits]').dataset.seconds)",
    );
    println!("trained in the page in {seconds} s");

    // The 0 with which the grid begins is read as one now.
    until(it, &wins(0));
    let shares = shares(it);
    assert!(shares[0] > 99.0, "{shares:?}");

    // A 1 is drawn with the mouse, on an empty grid.
    it.evaluate("document.querySelectorAll('.stage .row button')[1].click()");
    let [x, y] = middle(it, ".pixels");
    it.drag(
        &[-90.0, -60.0, -30.0, 0.0, 30.0, 60.0, 90.0].map(|dy| [x, y + dy]),
    );
    until(it, &wins(1));
    assert_eq!(winner(it), "1");
    // The digit whose number stands there can be had again.
    button(it, "digits", "Show it");
    says(it, "digits", "This one is a 0.");
    until(it, &wins(0));
    // By keys a pixel is wiped and drawn again.
    let before = shares_of(it);
    focus(it, ".pixels");
    it.press(" ");
    it.press("ArrowLeft");
    // Who sees no frame hears where it is.
    until(
        it,
        "/^Row 7, column 4. The network says/.test(document.querySelector('[data-figure=digits] .said').innerText)",
    );
    it.press(" ");
    until(it, &format!("{SHARES} !== {}", json!(before)));
}

fn wins(digit: usize) -> String {
    format!("/^ *{digit} /.test(document.querySelector('.bar.wins').innerText)")
}

/// The ink has the color of the words around it from the first, and the squares
/// that lie on it are explained as long as they are there.
#[test]
fn a_drawing_can_be_seen_in_the_dark() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "digits") else { return };
    let it = &mut browser;
    it.screen(390, "dark");
    it.evaluate("location.reload()");
    std::thread::sleep(std::time::Duration::from_secs(1));
    let figure = "document.querySelector('[data-figure=digits]')";
    until(it, &format!("{figure} !== null"));
    it.evaluate(&format!("{figure}.scrollIntoView()"));
    until(it, &format!("{figure}.classList.contains('live')"));
    // The brightest of its pixels is as bright as a word.
    let brightest = "(() => {
        const canvas = document.querySelector('.pixels');
        const { data } = canvas.getContext('2d').getImageData(0, 0, 320, 320);
        let most = 0;
        for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] > 200) most = Math.max(most, data[at]);
        }
        return most;
    })()";
    let light = it.evaluate(brightest).as_f64().unwrap();
    assert!(light > 150.0, "{light}");
    let legend = "document.querySelector('.legend').hidden";
    assert_eq!(it.evaluate(legend), json!(true));
    it.evaluate(
        "document.querySelector('.stage input[type=checkbox]').click()",
    );
    assert_eq!(it.evaluate(legend), json!(false));
    assert!(text(it, ".bar-head").contains("score"));
    assert!(text(it, "[data-figure=digits] .stage").contains("Draw here"));
}

const SHARES: &str = "document.querySelector('.bars').innerText";

fn shares_of(browser: &mut Browser) -> String {
    browser.evaluate(SHARES).as_str().unwrap().to_string()
}

/// The bars show percents with one digit behind the point.
#[track_caller]
fn agree(shares: &Value, shown: &[f64]) {
    let shares = shares.as_array().unwrap().iter();
    let percents = shares.map(|it| 100.0 * it.as_f64().unwrap());
    for (percent, shown) in percents.zip(shown) {
        assert!((percent - shown).abs() < 0.051, "{percent} is {shown}");
    }
    assert_eq!(apart(&json!(shown.len()), &json!(10), 0.0), None);
}

/// The way back to the pixels leads through the parameters.
#[test]
fn who_looks_at_a_drawing_changes_nothing_that_is_learned() {
    let learned = |looks: bool| {
        native("digits begin");
        let epochs = (0..3).map(|_| {
            if looks {
                let drawing = vec!["0.5"; 64].join(",");
                let answer = native(&format!("digits scores\n{drawing}"));
                assert!(answer["guess"].is_number(), "{answer}");
            }
            native("digits epoch")["loss"].clone()
        });
        epochs.collect::<Vec<_>>()
    };
    assert_eq!(learned(true), learned(false));
}
