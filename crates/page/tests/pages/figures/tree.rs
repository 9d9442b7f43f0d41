//! A sum as a tree, folded in two ways.

use serde_json::{Value, json};

use super::{focus, native, open, text, until};
use crate::Browser;

/// The numbers that the working cells show after so many rounds.
#[track_caller]
fn shows(browser: &mut Browser, way: &str, numbers: usize, rounds: usize) {
    let answer = native(&format!("tree\n{numbers}"));
    let steps = answer[way]["rounds"].as_array().unwrap();
    let mut wanted = Vec::new();
    for (round, step) in steps.iter().enumerate().take(rounds + 1) {
        let adds = step["adds"].as_array().unwrap();
        let working: Vec<usize> = match round {
            0 => (0..16).collect(),
            _ => {
                adds.iter().map(|it| it[0].as_u64().unwrap() as usize).collect()
            }
        };
        let value = |item: &usize| step["local"][*item].as_f64().unwrap();
        wanted.extend(working.iter().map(|item| value(item).to_string()));
    }
    let wanted = json!(wanted.join(" "));
    let found = "[...document.querySelectorAll('.stage svg text.code')]\
                 .map((it) => it.textContent).join(' ')";
    until(browser, &format!("{found} === {wanted}"));
}

/// Promise: The reduction figure runs both orders of the tree.
#[test]
fn a_tree_is_folded_in_two_ways() {
    let page = "reductions-and-barriers.html";
    let Some(mut browser) = open(page, "tree") else { return };
    let it = &mut browser;
    shows(it, "halves", 16, 4);
    // Every number has air on both sides in its cell.
    let air = "(() => {
        const cells = [...document.querySelectorAll('.stage svg rect[fill=none]')]
            .map((it) => it.getBBox());
        const words = [...document.querySelectorAll('.stage svg text.code')]
            .map((it) => it.getBBox());
        return Math.min(...words.map(({ x, width, y }) => {
            const own = cells.find((it) => it.x <= x + width / 2 && it.x + it.width >= x + width / 2
                && Math.abs(it.y - y) < 12);
            return Math.min(x - own.x, own.x + own.width - x - width);
        }));
    })()";
    let air = it.evaluate(air).as_f64().unwrap();
    assert!(air > 0.9, "{air}");
    focus(it, ".stage .row:nth-of-type(3) input");
    it.press("ArrowLeft");
    it.press("ArrowLeft");
    shows(it, "halves", 16, 2);
    focus(it, ".stage .row:nth-of-type(2) input");
    it.press("ArrowLeft");
    shows(it, "halves", 15, 2);
    it.evaluate(
        "(() => { const choice = document.querySelector('.stage select'); \
         choice.value = 'neighbors'; \
         choice.dispatchEvent(new Event('change')); })()",
    );
    shows(it, "neighbors", 15, 2);
    assert!(text(it, ".stage .picture").contains("4 warps, which diverge"));
    // What the chapter says of a group of 256.
    let warps = |way: &str, round: usize| {
        let counts = native("tree\n16")[way]["large"][round].clone();
        let counts = counts.as_array().unwrap().iter();
        counts.filter(|count| **count != json!(0)).count()
    };
    assert_eq!([warps("halves", 1), warps("neighbors", 1)], [4, 8]);
    let all = |way| (1..=8).map(|round| warps(way, round)).sum::<usize>();
    let found = "[...document.querySelectorAll('.numbers td')]\
                 .map((it) => it.innerText).join()";
    let small = |way: &str| {
        let rounds = native("tree\n16")[way]["rounds"].clone();
        let busy = |round: &Value| {
            let warps = round["warps"].as_array().unwrap().iter();
            warps.filter(|count| **count != json!(0)).count()
        };
        rounds.as_array().unwrap()[1..].iter().map(busy).sum::<usize>()
    };
    let row = |way| format!("{},{}", small(way), all(way));
    let wanted = json!(format!("{},{}", row("halves"), row("neighbors")));
    until(it, &format!("{found} === {wanted}"));
}
