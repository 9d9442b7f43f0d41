//! The speed of each rung of "The matmul ladder" and of the vendor's library,
//! from the table in the book.

use std::fs;

use super::{CODE, Svg};
use crate::tree::Tree;

/// The left ends of the bars, and the length of the library's bar.
const LEFT: f64 = 104.0;
const FULL: f64 = 240.0;

pub(crate) fn svg() -> String {
    let file = Tree::root().join("book/listings/part2_ladder_h200.out");
    let table = fs::read_to_string(file).unwrap_or_default();
    // The figure shows the first table of the listing.
    let first = table.split("\n\n").nth(1).unwrap_or_default();
    let rows: Vec<(&str, f64, &str)> = first.lines().filter_map(row).collect();
    let full = rows.last().map_or(1.0, |row| row.1);
    let mut svg = Svg::new(HEAD);
    for (at, (name, rate, share)) in rows.iter().enumerate() {
        let (y, wide) = (34 + 34 * at, FULL * rate / full);
        let (ink, name) = match name.strip_prefix("matmul") {
            Some(name) => ("var(--fig-gpu)", name.replace('_', " ")),
            None => ("var(--fig-value)", "library".to_string()),
        };
        svg.text(LEFT - 12.0, y + 16, " text-anchor=\"end\"", name);
        svg.put(format!(
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{wide:.1}\" \
             height=\"22\" rx=\"3\" fill=\"{ink}\" fill-opacity=\"0.3\" \
             stroke=\"{ink}\"/>"
        ));
        let x = format!("{:.1}", LEFT + wide + 10.0);
        let words = format!("{:.1} &#183; {share}", rate / 1000.0);
        svg.text(x, y + 16, CODE, words);
    }
    svg.end()
}

/// Returns the kernel, its GFLOP/s, and the percentage of the library's speed.
fn row(line: &str) -> Option<(&str, f64, &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, .., rate, share] = words[..] else { return None };
    Some((name, rate.parse().ok()?, share))
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 350\" role=\"img\">
<title>The speed of the eight rungs and of the vendor's library on an H200</title>
<desc>A bar for each of eight kernels and one for the library, with TFLOP/s and the fraction of the library's speed. Each rung is faster than the one before; the largest steps are rungs 4 to 6, and the last bar is nearly as long as the library's.</desc>
<text x=\"8\" y=\"20\" font-weight=\"600\">TFLOP/s, and the fraction of the library's speed</text>
";

/// The table cannot be reproduced, but its columns must agree: the time with
/// the speed, and the speed with the percentage.
#[test]
fn the_columns_of_the_measured_ladder_agree() {
    let tree = Tree::of_this_repository();
    let listing = tree.get("book/listings/part2_ladder_h200.out").unwrap();
    let tables = listing.split("\n\n").skip(1).zip([4096_f64, 8192.0]);
    for (table, n) in tables {
        let rows: Vec<_> = table.lines().filter_map(row).collect();
        let (_, library, _) = rows[8];
        let milliseconds = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().rev().collect();
            words[2].parse::<f64>().unwrap()
        };
        for (line, (name, rate, share)) in table.lines().skip(3).zip(rows) {
            let exact = 2.0 * n.powi(3) * 1e-6 / milliseconds(line);
            let part = rate / library;
            let share: f64 = share.parse().unwrap();
            assert!(
                (rate / exact - 1.0).abs() < 1e-3,
                "{name}: its time gives {exact:.1}"
            );
            assert!(
                (share - part).abs() < 0.02,
                "{name}: its speed gives {part:.2}"
            );
        }
    }
}
