//! The time of a step on 1 to 1,000 ranks, for "Gradients that travel", from
//! the table in the book.

use std::fs;

use rungrad::draw::{Color, Mark, Series, plot_loglog};

use crate::tree::Tree;

pub(crate) fn svg() -> String {
    let file = Tree::root().join("book/listings/cluster_model.out");
    let table = fs::read_to_string(file).unwrap_or_default();
    let rows: Vec<Vec<f32>> = table.lines().filter_map(row).collect();
    let series = |name: &str, mark, color, column_from_end: usize| Series {
        name: name.to_string(),
        mark,
        color,
        points: rows
            .iter()
            .filter(|row| row.len() > column_from_end)
            .map(|row| (row[0], row[row.len() - column_from_end] / 1e3))
            .collect(),
    };
    plot_loglog(
        "ranks",
        "The time of a step over the number of ranks: the model as a line, \
         the model without overlap as rings, the measured times as dots.",
        ["ranks", "seconds per step"],
        &[
            series("model", Mark::Line, Color::Cpu, 3),
            series("model without overlap", Mark::Rings, Color::Cpu, 2),
            series("measured", Mark::Dots, Color::Gpu, 4),
        ],
    )
}

/// Parses `4  31.2 ms  31.0 ms  36.1 ms  97 %` into its numbers. The measured
/// time is missing in most rows.
fn row(line: &str) -> Option<Vec<f32>> {
    let (numbers, unit) = line.trim().rsplit_once(' ')?;
    let words = numbers.split_whitespace().filter(|it| *it != "ms");
    let numbers = words.map(|it| it.parse().ok()).collect::<Option<_>>()?;
    (unit == "%").then_some(numbers)
}
