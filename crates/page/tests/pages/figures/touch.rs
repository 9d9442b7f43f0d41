//! A finger, on what a mouse can take: a handle, a canvas, a cell, a node.

use serde_json::json;

use super::{middle, native, open, says, until};

#[test]
fn a_finger_drags_the_start_of_a_descent() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "descent") else { return };
    let it = &mut browser;
    let label = "document.querySelector('.handle').ariaLabel";
    until(it, &format!("{label}.startsWith('start at -4.5, 2;')"));
    let [x, y] = middle(it, ".handle");
    let wide = "document.querySelector('.stage [role=group]').getBoundingClientRect().width";
    let unit = 42.0 * it.evaluate(wide).as_f64().unwrap() / 460.0;
    let before = it.evaluate("scrollY");
    // Three to the right and two down, in small steps: the picture is drawn
    // anew under the finger, and the page does not scroll away.
    let steps = (0..=8).map(|i| f64::from(i) / 8.0);
    let way = steps.map(|far| [x + 3.0 * unit * far, y + 2.0 * unit * far]);
    it.touch(&way.collect::<Vec<_>>());
    until(
        it,
        &format!(
            "(() => {{ const [, x, y] = {label}.match(/at (.*), (.*);/).map(Number);
             return Math.abs(x + 1.5) < 0.06 && Math.abs(y) < 0.06; }})()"
        ),
    );
    assert_eq!(it.evaluate("scrollY"), before);
}

#[test]
fn a_finger_draws_a_digit() {
    let page = "train-the-digits.html";
    let Some(mut browser) = open(page, "digits") else { return };
    let it = &mut browser;
    super::button(it, "digits", "Wipe");
    let ink = "(() => {
        const canvas = document.querySelector('.pixels');
        const brush = canvas.getContext('2d');
        const dark = (at) => brush.getImageData(40 * (at % 8) + 20, 40 * Math.floor(at / 8) + 20, 1, 1).data[3] > 200;
        return Array.from({ length: 64 }, (_, at) => at).filter(dark).join();
    })()";
    until(it, &format!("{ink} === ''"));
    let [x, y] = middle(it, ".pixels");
    let before = it.evaluate("scrollY");
    let wide =
        "document.querySelector('.pixels').getBoundingClientRect().width";
    let pixel = it.evaluate(wide).as_f64().unwrap() / 8.0;
    // Down the fourth column, from the middle of its second row to the seventh.
    let rows = (1..=6).map(f64::from);
    let way = rows.map(|row| [x - pixel / 2.0, y + (row - 3.5) * pixel]);
    it.touch(&way.collect::<Vec<_>>());
    until(it, &format!("{ink} === '11,19,27,35,43,51'"));
    assert_eq!(it.evaluate("scrollY"), before);
}

#[test]
fn a_finger_points_at_a_cell() {
    let Some(mut browser) = open("strides.html", "strides") else { return };
    let it = &mut browser;
    let cell = ".cells[aria-label^='the view'] .cell:nth-child(5)";
    let place = middle(it, cell);
    it.touch(&[place]);
    says(it, "strides", "Element [1, 1]:");
    until(it, "document.querySelector('.cells').children[4].matches('.lit')");
}

#[test]
fn a_finger_visits_a_node() {
    let Some(mut browser) = open("one-sweep.html", "diamond") else { return };
    let it = &mut browser;
    for node in ["e", "d"] {
        let place = middle(it, &format!("[data-node={node}]"));
        it.touch(&[place]);
        says(it, "diamond", &format!("{node} gives "));
    }
    let answer = native("diamond\ned\nmap");
    let gave = &answer["visits"][2]["gave"];
    assert_eq!(gave, &json!([["c", 3.0], ["b", 6.0]]));
    says(it, "diamond", "d gives 3 to c and 6 to b");
}
