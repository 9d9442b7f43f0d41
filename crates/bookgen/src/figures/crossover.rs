//! The size from which a device is faster than the host, for "Time it
//! honestly", drawn by the code of `part2_crossover` from the table in the
//! book.

use std::fs;

use crate::tree::Tree;

#[path = "../../../../examples/part2_crossover/picture.rs"]
mod picture;

use picture::{Point, curves};

pub(crate) fn svg(work: &str) -> String {
    let file = format!("book/listings/part2_crossover_{work}_h200.out");
    let table = fs::read_to_string(Tree::root().join(file));
    let table = table.unwrap_or_default();
    curves(work, &table.lines().filter_map(point).collect::<Vec<_>>())
}

/// Parses `256  1.5 µs  20.1 µs  9.8 µs`: a size, and three times.
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

#[test]
fn above_the_crossover_the_device_is_always_faster() {
    let tree = Tree::of_this_repository();
    let mut seen = 0;
    for (file, table) in tree.list("book/listings/part2_crossover", ".out") {
        let points: Vec<Point> = table.lines().filter_map(point).collect();
        let wins =
            table.lines().find_map(|l| l.strip_prefix("the device wins"));
        let words = wins.unwrap().split_whitespace().skip(1);
        let times: [fn(&Point) -> f64; 2] = [|p| p.copies, |p| p.launch];
        for (told, time) in words.zip(times) {
            let from = told.parse().unwrap_or(usize::MAX);
            let (before, after): (Vec<&Point>, Vec<&Point>) =
                points.iter().partition(|p| p.n < from);
            let loses = before.last().is_none_or(|p| time(p) >= p.host);
            let all_win = after.iter().all(|p| time(p) < p.host);
            assert!(loses && all_win, "{file}: not from {told} on");
            seen += 1;
        }
    }
    assert_eq!(seen, 8, "two columns of four tables");
}
