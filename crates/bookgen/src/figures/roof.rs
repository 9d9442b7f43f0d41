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
const AXES: Axes = Axes { across: [0.05, 1000.0], up: [0.2e12, 100e12] };

pub(crate) fn svg() -> String {
    let file = Tree::root().join("book/listings/part2_ladder_h200.out");
    let table = fs::read_to_string(file).unwrap_or_default();
    let mut svg = Svg::new(HEAD);
    svg.put(AXES.grid(
        &[0.1, 1.0, 10.0, 100.0, 1000.0],
        &[(1e12, "1"), (10e12, "10"), (67e12, "67")],
    ));
    svg.put(AXES.roof(BYTES, OPERATIONS));
    let l1 = AXES.roof(L1_BYTES, OPERATIONS);
    svg.put(l1.replace("/>", " stroke-dasharray=\"5 4\"/>"));
    svg.put(AXES.text([1.8, 2.9e12], "memory"));
    svg.put(AXES.text([0.06, 15e12], "L1 cache"));
    svg.put(AXES.text([20.0, 78e12], "peak arithmetic"));
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
    shift: [f64; 2],
) -> String {
    AXES.dot([intensity, rate], name, ink, shift)
}

/// The logarithmic axes of a roofline: operations per byte, and operations per
/// second.
pub(super) struct Axes {
    pub(super) across: [f64; 2],
    pub(super) up: [f64; 2],
}

pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 438.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 330.0;

impl Axes {
    /// Returns the position of a point.
    pub(super) fn point(&self, [intensity, rate]: [f64; 2]) -> [f64; 2] {
        // The relative position in a range.
        let part = |value: f64, [from, to]: [f64; 2]| {
            (value / from).ln() / (to / from).ln()
        };
        [
            LEFT + (RIGHT - LEFT) * part(intensity, self.across),
            BOTTOM - (BOTTOM - TOP) * part(rate, self.up),
        ]
    }

    /// Draws the lines of both axes with their labels.
    pub(super) fn grid(&self, across: &[f64], up: &[(f64, &str)]) -> String {
        let rows = up.iter().map(|(at, label)| {
            let [_, y] = self.point([self.across[0], *at]);
            format!(
                "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"currentColor\" \
                 stroke-opacity=\"0.2\"/><text x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\" class=\"code\">{label}</text>",
                LEFT - 8.0,
                y + 5.0
            )
        });
        let columns = across.iter().map(|at| {
            let [x, _] = self.point([*at, self.up[0]]);
            format!(
                "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" \
                 stroke=\"currentColor\" stroke-opacity=\"0.2\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" \
                 class=\"code\">{at}</text>",
                BOTTOM + 18.0
            )
        });
        rows.chain(columns).collect::<Vec<String>>().join("\n")
    }

    /// Draws the limits of memory and of arithmetic.
    pub(super) fn roof(&self, bytes: f64, operations: f64) -> String {
        let foot = self.across[0].max(self.up[0] / bytes);
        let [left, low] = self.point([foot, foot * bytes]);
        let [ridge, top] = self.point([operations / bytes, operations]);
        format!(
            "<path d=\"M{left:.1} {low:.1}L{ridge:.1} {top:.1}H{RIGHT}\" \
             fill=\"none\" stroke=\"var(--fig-value)\" \
             stroke-width=\"2.5\"/>"
        )
    }

    /// Writes about the roof.
    pub(super) fn text(&self, at: [f64; 2], text: &str) -> String {
        let [x, y] = self.point(at);
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"var(--fig-value)\">\
             {text}</text>"
        )
    }

    /// Draws a dot, and its name at a distance from it.
    pub(super) fn dot(
        &self,
        at: [f64; 2],
        name: &str,
        ink: &str,
        [right, down]: [f64; 2],
    ) -> String {
        let [x, y] = self.point(at);
        format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{ink}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{ink}\" \
             font-weight=\"600\">{name}</text>",
            x + right,
            y + down
        )
    }
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 376\" role=\"img\">
<title>The roofline of an H200, with the rungs of the ladder</title>
<desc>TFLOP/s over operations per byte, both axes logarithmic. A solid line rises with the bandwidth of global memory to the peak of 67 TFLOP/s at 14 operations per byte. A dashed line to its left rises with the bandwidth of the L1 caches and reaches the peak at 2 operations per byte. The elementwise product is just below the solid line, far on the left. Rungs 1 and 2 are at a quarter of an operation per byte, rung 3 at 4, rung 4 at 16, rungs 5 to 8 at 32, the library at 43, each higher than the one before.</desc>
<text x=\"64\" y=\"14\" font-weight=\"600\">TFLOP/s</text>
<text x=\"438\" y=\"370\" text-anchor=\"end\" font-weight=\"600\">operations per byte requested from global memory</text>
";
