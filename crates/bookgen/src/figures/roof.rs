//! The roofline of an H200 with the rungs of "The matmul ladder", from the
//! table in the book.

use std::fs;

use super::Svg;
use crate::tree::Tree;

/// From the data sheet: bytes and operations per second.
const BYTES: f64 = 4.8e12;
const OPERATIONS: f64 = 67e12;
/// The ranges of the axes: operations per byte, and operations per second.
const ACROSS: [f64; 2] = [0.05, 1000.0];
const UP: [f64; 2] = [0.2e12, 100e12];
const LEFT: f64 = 64.0;
const RIGHT: f64 = 664.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 330.0;

pub(crate) fn svg() -> String {
    let file = Tree::root().join("book/listings/part2_ladder_h200.out");
    let table = fs::read_to_string(file).unwrap_or_default();
    let mut svg = Svg::new(HEAD);
    for (at, label) in [(1e12, "1"), (10e12, "10"), (67e12, "67")] {
        let y = up(at);
        svg.put(format!(
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.2\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\" class=\"code\">{label}</text>",
            LEFT - 8.0,
            y + 5.0
        ));
    }
    for at in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        let x = across(at);
        svg.put(format!(
            "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.2\"/><text x=\"{x:.1}\" y=\"{}\" \
             text-anchor=\"middle\" class=\"code\">{at}</text>",
            BOTTOM + 18.0
        ));
    }
    let ridge = OPERATIONS / BYTES;
    svg.put(format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}H{RIGHT}\" fill=\"none\" \
         stroke=\"var(--fig-value)\" stroke-width=\"2.5\"/>",
        across(ACROSS[0]),
        up(ACROSS[0] * BYTES),
        across(ridge),
        up(OPERATIONS)
    ));
    let words = [
        (0.85, 1.9e12, "bytes are the limit"),
        (40.0, 78e12, "arithmetic is the limit"),
    ];
    for (at, rate, text) in words {
        svg.put(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"var(--fig-value)\">{text}\
             </text>",
            across(at),
            up(rate)
        ));
    }
    for dot in dots(&table) {
        svg.put(dot);
    }
    svg.end()
}

/// Returns the elementwise product, the eight rungs, and the library.
fn dots(table: &str) -> Vec<String> {
    let first = table.split("\n\n").nth(1).unwrap_or_default();
    let mut dots = Vec::new();
    for line in first.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rate = |word: &str| word.parse::<f64>().ok().map(|it| 1e9 * it);
        if let ["peer", _, found, _] = words[..] {
            // Its memory traffic was not measured, so it is a horizontal line.
            dots.extend(rate(found).map(library));
        }
        let [name, global, _, _, found, _] = words[..] else { continue };
        let (Some(rung), Some(loads)) =
            (name.strip_prefix("matmul"), rate(global))
        else {
            continue;
        };
        // An element takes two operations for each of 4096 products.
        let intensity = 2.0 * 4096.0 / (4.0 * loads * 1e-9);
        // The three highest dots nearly coincide and share one label.
        let (name, to) = match rung.get(..1) {
            Some("6" | "7") => ("", [0.0; 2]),
            Some("8") => ("6, 7, 8", [9.0, 14.0]),
            name => (name.unwrap_or_default(), [9.0, 5.0]),
        };
        dots.extend(
            rate(found)
                .map(|it| dot(intensity, it, name, "var(--fig-gpu)", to)),
        );
    }
    let stream = table.lines().find_map(|line| line.strip_prefix("ew_mul "));
    let found = stream.and_then(|line| line.split_whitespace().nth(1));
    if let Some(rate) = found.and_then(|it| it.parse::<f64>().ok()) {
        // One operation for three elements of four bytes.
        dots.push(dot(
            1.0 / 12.0,
            rate * 1e9 / 12.0,
            "ew_mul",
            "var(--fig-cpu)",
            [10.0, 8.0],
        ));
    }
    dots
}

/// A horizontal line at a rate, from the roof to the right edge.
fn library(rate: f64) -> String {
    let y = up(rate);
    format!(
        "<path d=\"M{:.1} {y:.1}H{RIGHT}\" stroke=\"var(--fig-value)\" \
         stroke-dasharray=\"5 4\"/><text x=\"{RIGHT}\" y=\"{:.1}\" \
         text-anchor=\"end\" fill=\"var(--fig-value)\" font-weight=\"600\">\
         the library</text>",
        across(rate / BYTES),
        y + 18.0
    )
}

fn dot(
    intensity: f64,
    rate: f64,
    name: &str,
    ink: &str,
    [right, down]: [f64; 2],
) -> String {
    let [x, y] = [across(intensity), up(rate)];
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{ink}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{ink}\" font-weight=\"600\">\
         {name}</text>",
        x + right,
        y + down
    )
}

fn across(value: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * share(value, ACROSS)
}

fn up(value: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * share(value, UP)
}

/// Returns the relative position of a value in a range, on a logarithmic
/// scale.
fn share(value: f64, [from, to]: [f64; 2]) -> f64 {
    (value / from).ln() / (to / from).ln()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 376\" role=\"img\">
<title>The roofline of an H200, with the rungs of the ladder</title>
<desc>Operations in a second over operations for each byte, both logarithmic. The roof rises with the bytes up to 14 operations for a byte and is flat from there, at 67 TFLOP/s. The elementwise product stands close below its slope, far on the left. Rungs 1 and 2 stand at a quarter of an operation for a byte, rung 3 at 4, rung 4 at 16, rungs 5 to 8 at 32, and each higher than the one before; a dashed line at 51 TFLOP/s is the library's, whose bytes were not counted.</desc>
<text x=\"64\" y=\"14\" font-weight=\"600\">TFLOP/s</text>
<text x=\"664\" y=\"370\" text-anchor=\"end\" font-weight=\"600\">operations for each byte that is asked of global memory</text>
";
