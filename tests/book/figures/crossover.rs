//! Where a device overtakes the host, by the lines that `part2_crossover`
//! draws with, from the table in the book: chapter 14.

use std::fs;

use crate::tree::Tree;

#[path = "../../../examples/part2_crossover/picture.rs"]
mod picture;

use picture::{Point, curves};

pub fn svg(work: &str) -> String {
    let file = format!("book/listings/part2_crossover_{work}.out");
    let table = fs::read_to_string(Tree::root().join(file));
    let table = table.unwrap_or_default();
    curves(work, &table.lines().filter_map(point).collect::<Vec<_>>())
}

/// `256  1.5 µs  20.1 µs  9.8 µs`: a size, and three times with their units.
fn point(line: &str) -> Option<Point> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [n, times @ ..] = &words[..] else { return None };
    let seconds = |at: usize| {
        let unit = match *times.get(at + 1)? {
            "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            _ => return None,
        };
        Some(times[at].parse::<f64>().ok()? * unit)
    };
    Some(Point {
        n: n.parse().ok()?,
        host: seconds(0)?,
        copies: seconds(2)?,
        launch: seconds(4)?,
    })
}
