//! The roofline of an H200 with the rungs of "The matmul ladder", from the
//! table in the book.

use std::fs;

use super::Svg;
use crate::tree::Tree;

/// From the data sheet: bytes and operations per second.
const BYTES: f64 = 4.8e12;
const OPERATIONS: f64 = 67e12;
/// The bytes per second of all L1 caches, measured on an H200.
const L1_BYTES: f64 = 31.4e12;
/// The bytes that the library's kernel requests, measured on an H200.
const LIBRARY_BYTES: f64 = 3.22e9;
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
    for (bytes, dash) in [(BYTES, ""), (L1_BYTES, "stroke-dasharray=\"5 4\"")] {
        svg.put(format!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}H{RIGHT}\" fill=\"none\" \
             stroke=\"var(--fig-value)\" stroke-width=\"2.5\" {dash}/>",
            across(ACROSS[0]),
            up(ACROSS[0] * bytes),
            across(OPERATIONS / bytes),
            up(OPERATIONS)
        ));
    }
    let words = [
        (1.3, 2.9e12, "memory"),
        (0.06, 7e12, "L1 cache"),
        (20.0, 78e12, "peak arithmetic"),
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
            let intensity = 2.0 * 4096.0f64.powi(3) / LIBRARY_BYTES;
            dots.extend(rate(found).map(|it| {
                dot(intensity, it, "library", "var(--fig-value)", [10.0, 0.0])
            }));
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
<desc>TFLOP/s over operations per byte, both axes logarithmic. A solid line rises with the bandwidth of global memory to the peak of 67 TFLOP/s at 14 operations per byte. A dashed line to its left rises with the bandwidth of the L1 caches and reaches the peak at 2 operations per byte. The elementwise product is just below the solid line, far on the left. Rungs 1 and 2 are at a quarter of an operation per byte, rung 3 at 4, rung 4 at 16, rungs 5 to 8 at 32, the library at 43, each higher than the one before.</desc>
<text x=\"64\" y=\"14\" font-weight=\"600\">TFLOP/s</text>
<text x=\"664\" y=\"370\" text-anchor=\"end\" font-weight=\"600\">operations per byte requested from global memory</text>
";
