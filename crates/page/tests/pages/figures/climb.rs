//! The ladder of the introduction, rung by rung and by itself.

use serde_json::json;

use super::{button, native, open, says, text, until};
use crate::{browser_or_skip, site};

const PAGE: &str = "introduction.html";

/// Where nobody wants motion, each rung is one picture, when it is asked for.
#[test]
fn each_rung_shows_what_the_engine_computes() {
    let Some(mut browser) = open(PAGE, "climb") else { return };
    let it = &mut browser;
    let told = "figure[data-figure=climb] p.way";
    assert_eq!(text(it, told), "2 \u{d7} 3 = 6");
    button(it, "climb", "Climb on");
    says(it, "climb", "gradients run back: 9 for a, 12 for b");
    let answer = native("try climb\n(a*b)*b\na=2\nb=3");
    let grads = ["a", "b"].map(|name| {
        let inputs = answer["inputs"].as_array().unwrap();
        let input = inputs.iter().find(|it| it["name"] == name).unwrap();
        format!("\u{2207} {name} = {}", input["grad"][0].as_f64().unwrap())
    });
    assert_eq!(text(it, told), grads.join("   "));
    button(it, "climb", "Climb on");
    let walk = native("descent valley\n-4.5,2\n0.095\n0.5\n20");
    let losses = walk["losses"].as_array().unwrap();
    let [first, last] = [0, 20].map(|i: usize| losses[i].as_f64().unwrap());
    says(it, "climb", &format!("from {first:.1} to {last:.4}"));
    button(it, "climb", "4 a border");
    says(it, "climb", "99.0 % of 200 other points are on the right side");
    button(it, "climb", "5 a network");
    says(it, "climb", "this one as a 0");
    until(
        it,
        "document.querySelector('.rungs [aria-current=step]').innerText[0] === '5'",
    );
    // The still figure says the same.
    let still = include_str!("../../../../../book/figures/climb.svg");
    let loss = [format!(">loss {first:.1}<"), format!(">loss {last:.4}<")];
    for words in grads.iter().map(|it| format!(">{it}<")).chain(loss) {
        assert!(still.contains(&words), "{words}");
    }
    let listed = |name: &str| {
        let file = testkit::place::root().join("book/listings").join(name);
        std::fs::read_to_string(file).expect("a listing")
    };
    for (listing, share) in
        [("part1_moons.out", "99.0 %"), ("part1_digits.out", "98.6 %")]
    {
        let last = listed(listing)
            .lines()
            .rfind(|l| l.contains("right"))
            .unwrap()
            .to_string();
        assert!(last.contains(share), "{listing}: {last}");
        assert!(still.contains(&format!(">right {share}<")));
    }
}

/// Where motion is welcome it climbs by itself, and a button stops it.
#[test]
fn the_ladder_is_climbed_and_can_be_stopped() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let it = &mut browser;
    it.screen(1280, "light");
    let moving =
        json!([{ "name": "prefers-reduced-motion", "value": "no-preference" }]);
    it.call("Emulation.setEmulatedMedia", json!({ "features": moving }));
    it.open(&site::address(&folder.join(PAGE)));
    it.evaluate(
        "document.querySelector('figure[data-figure=climb]').scrollIntoView({ block: 'center' })",
    );
    let rung =
        "document.querySelector('.rungs [aria-current=step]')?.innerText[0]";
    until(it, &format!("{rung} === '3'"));
    button(it, "climb", "Pause");
    let told =
        "document.querySelector('figure[data-figure=climb] p.way').innerText";
    std::thread::sleep(std::time::Duration::from_millis(300));
    let stopped = it.evaluate(told);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(it.evaluate(told), stopped);
    button(it, "climb", "Climb on");
    until(it, &format!("{rung} === '5'"));
}

/// The first figure takes the place of its still one before the reader's eyes.
///
/// Promise: The text below the first figure does not move when the figure
/// starts.
#[test]
fn what_is_below_the_ladder_waits_where_it_will_stand() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    for width in [390, 1280] {
        browser.screen(width, "light");
        browser.open(&site::address(&folder.join(PAGE)));
        let live =
            "document.querySelector('[data-figure=climb].live') !== null";
        until(&mut browser, live);
        let shift = browser.evaluate(
            "new Promise((done) => {
                let moved = 0;
                new PerformanceObserver((list) => {
                    for (const { value, sources } of list.getEntries()) {
                        const main = document.querySelector('main');
                        if (sources.some(({ node }) => main.contains(node))) moved += value;
                    }
                }).observe({ type: 'layout-shift', buffered: true });
                setTimeout(() => done(moved), 500);
            })",
        );
        let shift = shift.as_f64().unwrap();
        assert!(shift < 0.008, "{width}: {shift}");
    }
}
