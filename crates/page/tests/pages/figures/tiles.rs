//! A product in tiles, and the loads that are counted.

use rungrad::part1_cpu::Tensor;
use rungrad::part2_gpu::matmul::{LADDER, Rung};
use serde_json::{Value, json};

use super::{focus, middle, native, open, says, until};
use crate::Browser;

fn ask(tile: usize, corner: [usize; 2]) -> Value {
    native(&format!("tiles\n{tile}\n{}\n{}", corner[0], corner[1]))
}

fn total(answer: &Value, key: &str, steps: usize) -> f64 {
    let steps = answer["steps"].as_array().unwrap().iter().take(steps);
    steps.map(|step| step[key].as_f64().unwrap()).sum()
}

/// The counts of the table, and the sum of the element that is looked at.
#[track_caller]
fn shows(browser: &mut Browser, tile: usize, steps: usize, place: [usize; 2]) {
    let corner = place.map(|at| at - at % tile);
    let answer = ask(tile, corner);
    let item = place[0] % tile * tile + place[1] % tile;
    let sum = &answer["steps"][steps - 1]["sums"][item];
    let [global, local] =
        ["global", "local"].map(|key| total(&answer, key, steps));
    let found = "[0, 2].map((i) => \
                 document.querySelectorAll('.numbers td')[i].innerText).join()";
    until(browser, &format!("{found} === '{global},{local}'"));
    let words = json!(format!(
        "row {}, column {} is {}. Each number that was loaded is used {tile} times.",
        place[0],
        place[1],
        sum.as_f64().unwrap()
    ));
    until(
        browser,
        &format!("document.querySelector('.said').innerText.endsWith({words})"),
    );
}

/// Promise: The tile figure moves along `k` and counts its loads.
#[test]
fn a_tile_goes_along_k_and_its_loads_are_counted() {
    let Some(mut browser) = open("the-matmul-ladder.html", "tiles") else {
        return;
    };
    let it = &mut browser;
    shows(it, 4, 1, [1, 1]);
    says(it, "tiles", "After step 1 of 2: 32 numbers");
    focus(it, ".stage .row:nth-of-type(2) input");
    it.press("ArrowRight");
    shows(it, 4, 2, [1, 1]);
    focus(it, ".stage .row:nth-of-type(3) input");
    it.press("ArrowRight");
    shows(it, 4, 2, [1, 2]);
    // By mouse: the last element of the result, in another group.
    let [x, y] = middle(it, ".stage svg");
    let corner = it.evaluate(
        "(() => { const box = document.querySelector('.stage svg')\
         .getBoundingClientRect(); return [box.right, box.bottom]; })()",
    );
    let [right, bottom] = [0, 1].map(|i: usize| corner[i].as_f64().unwrap());
    assert!(right > x && bottom > y);
    it.drag(&[[right - 14.0, bottom - 14.0]]);
    shows(it, 4, 2, [7, 7]);
    it.evaluate(
        "(() => { const choice = document.querySelector('.stage select'); \
         choice.value = '2'; choice.dispatchEvent(new Event('change')); })()",
    );
    shows(it, 2, 1, [7, 7]);
}

/// The sums are those of the product, and the loads those of the formula for
/// a rung, which Oclgrind counts.
///
/// Promise: The tile figure computes the product and counts the loads of the
/// chapter's formula.
#[test]
fn the_tiles_of_a_page_are_the_product_and_its_loads() {
    let numbers = |value: &Value| -> Vec<f32> {
        let values = value.as_array().unwrap().iter();
        values.map(|it| it.as_f64().unwrap() as f32).collect()
    };
    let first = ask(2, [0, 0]);
    let [a, b] =
        ["a", "b"].map(|key| Tensor::new(&[8, 8], &numbers(&first[key])));
    let product = a.matmul(&b).to_vec();
    for tile in [2, 4, 8] {
        let rung = Rung { tile, ..LADDER[2] };
        let steps = 8 / tile;
        for corner in [[0, 0], [8 - tile, 0], [8 - tile, 8 - tile]] {
            let answer = ask(tile, corner);
            let sums = numbers(&answer["steps"][steps - 1]["sums"]);
            for (item, sum) in sums.iter().enumerate() {
                let row = corner[0] + item / tile;
                let column = corner[1] + item % tile;
                assert_eq!(*sum, product[row * 8 + column]);
            }
            let each = |key| total(&answer, key, steps) / (tile * tile) as f64;
            assert_eq!([each("global"), each("local")], rung.loads(8));
        }
    }
}
