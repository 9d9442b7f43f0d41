//! The figures that train, and the figures about training.

#[path = "../../../../../examples/part3_read_digits/drawing.rs"]
mod drawing;
#[path = "../../../../../examples/part3_read_digits/form.rs"]
mod form;
#[allow(dead_code)]
#[path = "../../../../../examples/part3_filters/training.rs"]
mod network;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use rungrad::io;
use rungrad::metrics::predictions;
use rungrad::nn::Module;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;
use serde_json::{Value, json};

use super::{Figure, play};
use crate::engine::native;
use drawing::Drawing;

const DIGITS: &str = "train-the-digits.html";
const DOWNHILL: &str = "downhill.html";

/// Whether the picture shows exactly the engine's walk, which is rounded to
/// two digits and clipped at the edge.
const WALKED: &str = "window.walked = async (...question) => {
    const { places } = await ask(...question);
    const { points } = all('.stage .walk')[0];
    const near = (drawn, middle, value) =>
        Math.abs(drawn - middle - 42 * Math.max(-99, Math.min(99, value))) < 0.5;
    return points.length === places.length && places.every(([x, y], i) =>
        near(points[i].x, 230, x) && near(points[i].y, 142, -y));
}";

/// The number of pixels of one unit of the picture.
const UNIT: &str =
    "window.unit = 42 * all('.stage [role=group]')[0].clientWidth / 460";

#[track_caller]
fn descent() -> Option<Figure> {
    let mut figure = Figure::open(DOWNHILL, "descent")?;
    figure.value(WALKED);
    figure.value(UNIT);
    Some(figure)
}

#[test]
fn a_walk_agrees_with_the_optimizer() {
    let Some(mut figure) = descent() else { return };
    figure.play(
        "
        js walked('descent valley', '-4.5,2', '0.095', '0.5', '20') | true
        says | to 0.0000888; without momentum (gray), to 0.778.
        keys .stage input[aria-label='momentum'] | ArrowRight*8
        js walked('descent valley', '-4.5,2', '0.095', '0.9', '20') | true
        says | That is too much momentum
        keys .stage input[aria-label='momentum'] | Home
        js walked('descent valley', '-4.5,2', '0.095', '0', '20') | true
        says | The steps crossed the valley 20 times.
        js all('.stage polyline').length | 2
        keys .stage input[aria-label='momentum'] | ArrowRight*10
        js all('.stage polyline').length | 4
        js walked('descent valley', '-4.5,2', '0.095', '0.5', '20') | true
        keys .stage input[aria-label='steps'] | ArrowLeft
        js walked('descent valley', '-4.5,2', '0.095', '0.5', '19') | true
        keys .stage input[aria-label='learning rate'] | ArrowRight*3
        js walked('descent valley', '-4.5,2', '0.2', '0.5', '19') | true
        says | The loss has grown.
        js texts('.said').includes('lead away') | false
        choose .stage select | bowl
        js walked('descent bowl', '-4.5,2', '0.2', '0.5', '19') | true
        keys .handle | ArrowUp
        js walked('descent bowl', '-4.5,2.5', '0.2', '0.5', '19') | true
        drag .handle | [[0, 0], [unit, 0], [2 * unit, 0]]
        js /start at -2.[45]/.test(all('.handle')[0].ariaLabel) | true
        ",
    );
}

/// The curve of the loss rises to its last value.
#[test]
fn a_growing_loss_is_drawn() {
    let Some(mut figure) = descent() else { return };
    figure.value(
        "window.heights = () => [...all('.stage .loss')[0].points]\
         .map((it) => it.y)",
    );
    figure.play(
        "
        keys .stage input[aria-label='momentum'] | Home
        keys .stage input[aria-label='learning rate'] | End
        js walked('descent valley', '-4.5,2', '2.1', '0', '20') | true
        js heights().every((y, i, all) => i === 0 || y < all[i - 1] - 0.5) | true
        js heights().length | 12
        keys .stage input[aria-label='steps'] | End
        says | After 60 steps
        says | The steps lead away
        has .stage .picture | 60
        ",
    );
}

#[test]
fn a_finger_can_drag_the_start_of_a_descent() {
    let Some(mut figure) = descent() else { return };
    figure.play(
        "
        js all('.handle')[0].ariaLabel.startsWith('start at -4.5, 2;') | true
        run all('.handle')[0].scrollIntoView({ block: 'center' })
        run window.was = scrollY
        touch .handle | [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => [3 * unit * i / 8, 2 * unit * i / 8])
        js (([, x, y]) => Math.abs(+x + 1.5) < 0.06 && Math.abs(y) < 0.06)(all('.handle')[0].ariaLabel.match(/at (.*), (.*);/)) | true
        js scrollY === was | true
        ",
    );
}

#[test]
fn the_decision_boundary_changes_in_every_epoch() {
    let Some(mut figure) = Figure::open(DOWNHILL, "moons") else { return };
    figure
        .value("window.border = () => all('.stage path')[0].getAttribute('d')");
    figure.play(
        "
        run window.was = border()
        button | Train
        js /Train again/.test(figure.innerText) | true
        js border() === was | false
        has output | 100: loss 0.0
        ",
    );
    native("moons begin");
    (1..100).for_each(|_| drop(native("moons epoch")));
    // The last digits of `tanh` differ in the page, and 500 steps amplify the
    // difference.
    near(&mut figure, &native("moons epoch"), 1.1);
    // The boundary of every epoch can be shown again.
    figure.play(
        "
        keys input[type=range] | Home
        js border() === was | true
        see output | not trained
        ",
    );
    let pieces = native("moons border").as_array().unwrap().len();
    assert!(pieces > 400 && pieces.is_multiple_of(4), "{pieces}");
}

/// Checks the accuracy after the last epoch.
#[track_caller]
fn near(figure: &mut Figure, last: &Value, most: f64) {
    let told = figure.value("texts('output')").to_string();
    let said: f64 = told.split("right ").nth(1).unwrap()[..4].parse().unwrap();
    let right = 100.0 * last["accuracy"].as_f64().unwrap();
    assert!((said - right).abs() < most, "{told}, {right} outside");
}

/// Promise: The digits figure trains in the page and scores a drawing.
#[test]
fn the_page_trains_on_digits_and_scores_a_drawing() {
    let Some(mut figure) = Figure::open(DIGITS, "digits") else { return };
    figure.value(
        "window.percents = () => all('.bar span')\
         .map((it) => parseFloat(plain(it.innerText).split(' ')[2]))",
    );
    figure.play(
        "
        see .stage output | 1438 digits to learn, 359 held out
        js all('.bar').length | 10
        ",
    );
    // The weights of the untrained network are the same everywhere.
    native("digits begin");
    let pixels = native("digits shown\n0")["pixels"].to_string();
    let drawing = format!("digits scores\n{}", pixels.trim_matches(['[', ']']));
    let untrained = native(&drawing);
    let shown = figure.value("percents()");
    for (share, percent) in
        untrained["shares"].as_array().unwrap().iter().zip(numbers(&shown))
    {
        let right = 100.0 * share.as_f64().unwrap();
        assert!((right - percent).abs() < 0.051, "{right} is {percent}");
    }
    // With reduced motion, the curves are drawn once, after all epochs.
    figure.value(
        "window.drawings = 0, new MutationObserver(() => { drawings += 1; })\
         .observe(all('.picture')[0], { childList: true })",
    );
    figure.play(
        "
        keys .stage button | Enter
        js figure.dataset.seconds > 0 | true
        js drawings | 1
        js all('.stage polyline')[0].points.length | 20
        has .stage output | epoch 20: loss 0.0
        ",
    );
    (1..20).for_each(|_| drop(native("digits epoch")));
    // 900 steps amplify rounding differences: a few of the 359 digits may
    // differ.
    near(&mut figure, &native("digits epoch"), 1.2);
    println!(
        "trained in the page in {} s",
        figure.value("figure.dataset.seconds")
    );
    figure.play(
        "
        js /^ *0 /.test(texts('.bar.wins')) | true
        js percents()[0] > 99 | true
        run all('.stage .row button')[1].click()
        drag .pixels | [-90, -60, -30, 0, 30, 60, 90].map((y) => [0, y])
        js /^ *1 /.test(texts('.bar.wins')) | true
        button | Show it
        says | This one is a 0.
        js /^ *0 /.test(texts('.bar.wins')) | true
        run window.was = texts('.bars')
        keys .pixels | Space ArrowLeft
        js /^Row 7, column 4. The network says/.test(texts('.said')) | true
        keys | Space
        js texts('.bars') === was | false
        ",
    );
}

fn numbers(list: &Value) -> Vec<f64> {
    serde_json::from_value(list.clone()).expect("a list of numbers")
}

/// The strokes have the color of the text, and the legend explains the squares
/// while they are shown.
#[test]
fn a_drawing_is_visible_in_a_dark_theme() {
    let Some(mut figure) = Figure::open(DIGITS, "digits") else { return };
    figure.browser.screen(390, "dark");
    figure.load();
    // The brightest pixel is as bright as a word.
    figure.value(
        "window.brightest = () => {
            const { data } = all('.pixels')[0].getContext('2d').getImageData(0, 0, 320, 320);
            return data.reduce((most, red, at) =>
                (at % 4 === 0 && data[at + 3] > 200 ? Math.max(most, red) : most), 0);
        }",
    );
    figure.play(
        "
        js brightest() > 150 | true
        js all('.legend')[0].hidden | true
        run all('.stage input[type=checkbox]')[0].click()
        js all('.legend')[0].hidden | false
        has .bar-head | score
        has .stage | Draw here
        ",
    );
}

#[test]
fn a_finger_can_draw_a_digit() {
    let Some(mut figure) = Figure::open(DIGITS, "digits") else { return };
    figure.value(
        "window.ink = () => {
            const brush = all('.pixels')[0].getContext('2d');
            const dark = (at) => brush.getImageData(40 * (at % 8) + 20, 40 * Math.floor(at / 8) + 20, 1, 1).data[3] > 200;
            return Array.from({ length: 64 }, (_, at) => at).filter(dark).join();
        }",
    );
    // Down the fourth column, from the second row to the seventh.
    figure.play(
        "
        button | Wipe
        js ink() |
        run all('.pixels')[0].scrollIntoView({ block: 'center' })
        run window.was = scrollY
        touch .pixels | [1, 2, 3, 4, 5, 6].map((row) => [-box.width / 16, (row - 3.5) * box.width / 8])
        js ink() | 11,19,27,35,43,51
        js scrollY === was | true
        ",
    );
}

/// The gradient of a drawing passes through the parameters, but must not
/// change them.
#[test]
fn scoring_a_drawing_does_not_change_the_training() {
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

/// Saves the drawing with the keyboard, and removes the file.
#[track_caller]
fn saved(figure: &mut Figure, folder: &Path) -> Drawing {
    figure.play(
        "
        button | Save as PNG
        says | Saved as digit.png: 320 by 320 pixels, dark on light.
        ",
    );
    let file = folder.join("digit.png");
    for _ in 0..200 {
        // The browser gives the file this name when it is complete.
        if let Ok(bytes) = fs::read(&file) {
            fs::remove_file(&file).unwrap();
            return Drawing::read("digit.png", &bytes).unwrap();
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{} was not saved within ten seconds", file.display());
}

/// Reads a drawing as `part3_read_digits` does.
fn read(drawing: &Drawing) -> usize {
    let digit = form::digit(drawing).expect("something is drawn");
    let mut network = network::network(&mut Random::new(0));
    let weights = "examples/part3_read_digits/weights.safetensors";
    io::load(testkit::place::root().join(weights), &mut network).unwrap();
    let x = Tensor::new(&[1, 64], &digit, Device::Cpu).unwrap();
    let scores = no_grad(|| network.forward(&x)).to_vec().unwrap();
    predictions(&scores, 10)[0]
}

#[test]
fn a_drawing_is_saved_as_a_file_that_part_3_reads() {
    let Some(mut figure) = Figure::open(DIGITS, "digits") else { return };
    let folder: PathBuf = crate::scratch("saved");
    let there = json!({ "behavior": "allow", "downloadPath": folder });
    figure.browser.call("Browser.setDownloadBehavior", there);
    // Digits of the data set can be saved and read again.
    native("digits begin");
    let mut right = 0;
    for at in 0..10 {
        let label = native(&format!("digits shown\n{at}"))["label"].clone();
        figure.play(&format!(
            "run all('.stage input[type=number]')[0].value = {at}
             button | Show it
             says | This one is a {label}."
        ));
        let drawing = saved(&mut figure, &folder);
        assert_eq!((drawing.width, drawing.height), (320, 320));
        right += usize::from(json!(read(&drawing)) == label);
    }
    assert!(right >= 8, "{right} of 10");

    // So can a hand-drawn 7.
    figure.play(
        "
        button | Wipe
        drag .pixels | [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => [-70 + 140 * i / 8, -110]).concat([0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => [70 - 90 * i / 8, -110 + 220 * i / 8]))
        ",
    );
    assert_eq!(read(&saved(&mut figure, &folder)), 7);

    // An empty drawing is not saved.
    figure.play(
        "
        button | Wipe
        button | Save as PNG
        says | Nothing is drawn, so nothing is saved.
        ",
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// With reduced motion, each rung is one picture, shown on request.
#[test]
fn each_rung_shows_the_result_of_the_engine() {
    play(
        "introduction.html",
        "climb",
        "
        see p.way | 2 \u{d7} 3 = 6
        button | Play on
        says | gradients run back: 9 for a, 12 for b
        see p.way | \u{2207} a = 9 \u{2207} b = 12
        button | Play on
        says | from 50.1 to 0.0001
        button | 4 a border
        says | 99.0 % of 200 other points are on the right side
        button | 5 a network
        says | this one as a 0
        js texts('.rungs [aria-current=step]')[0] | 5
        ",
    );
    // The static figure and the listings of the programs agree.
    let still = include_str!("../../../../../book/figures/climb.svg");
    for words in [
        ">\u{2207} a = 9<",
        ">\u{2207} b = 12<",
        ">loss 50.1<",
        ">to 0.0001<",
        ">99.0 %<",
        ">98.6 %<",
    ] {
        assert!(still.contains(words), "{words}");
    }
    for (listing, share) in
        [("part1_moons.out", "99.0 %"), ("part1_digits.out", "98.6 %")]
    {
        let file = testkit::place::root().join("book/listings").join(listing);
        let text = fs::read_to_string(file).expect("a listing");
        let last = text.lines().rfind(|line| line.contains("right"));
        assert!(last.unwrap().contains(share), "{listing}: {last:?}");
    }
}

/// With motion, the ladder plays by itself, and a button stops it.
#[test]
fn the_ladder_plays_and_can_be_stopped() {
    let Some(mut figure) = Figure::open("introduction.html", "climb") else {
        return;
    };
    let moving =
        json!([{ "name": "prefers-reduced-motion", "value": "no-preference" }]);
    let features = json!({ "features": moving });
    figure.browser.call("Emulation.setEmulatedMedia", features);
    figure.load();
    figure.play(
        "
        js texts('.rungs [aria-current=step]')[0] | 3
        button | Pause
        run new Promise((next) => setTimeout(next, 300))
        run window.was = texts('p.way')
        run new Promise((next) => setTimeout(next, 500))
        js texts('p.way') === was | true
        button | Play on
        js texts('.rungs [aria-current=step]')[0] | 5
        ",
    );
}

/// The ladder replaces its static picture while the reader looks at it.
///
/// Promise: The text below the ladder does not move when the figure starts.
#[test]
fn content_below_the_ladder_does_not_move() {
    let Some((mut browser, folder)) = crate::browser_or_skip() else { return };
    for width in [390, 1280] {
        browser.screen(width, "light");
        browser.open(&crate::site::address(&folder.join("introduction.html")));
        let shift = browser.evaluate(
            "new Promise((done) => {
                let moved = 0;
                new PerformanceObserver((list) => {
                    for (const { value, sources } of list.getEntries()) {
                        const main = document.querySelector('main');
                        if (sources.some(({ node }) => main.contains(node))) moved += value;
                    }
                }).observe({ type: 'layout-shift', buffered: true });
                const started = (name) => new Promise((next) => {
                    const figure = document.querySelector(`[data-figure=${name}]`);
                    figure.scrollIntoView({ behavior: 'instant' });
                    const wait = () => (figure.matches('.live')
                        ? setTimeout(next, 500) : setTimeout(wait, 20));
                    wait();
                });
                // The figure above the ladder must not grow during the test.
                started('expression').then(() => {
                    moved = 0;
                    return started('climb');
                }).then(() => done(moved));
            })",
        );
        let shift = shift.as_f64().unwrap();
        assert!(shift < 0.008, "{width}: {shift}");
    }
}
