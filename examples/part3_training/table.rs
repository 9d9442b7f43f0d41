//! Prints tables to standard output.

use std::fmt::Display;

/// Makes a row of strings.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// Makes a row of a name and values with a fixed number of decimals.
pub(crate) fn numbers<T: Display>(
    name: &str,
    numbers: &[T],
    decimals: usize,
) -> Vec<String> {
    let name = [name.to_string()].into_iter();
    name.chain(numbers.iter().map(|it| format!("{it:.decimals$}"))).collect()
}

/// Prints rows in columns; the first column is left-aligned, the others are
/// right-aligned.
pub(crate) fn show(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let width = |at| cells(at).map(|it| it.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            line += &match at {
                0 => format!("{cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        println!("{}", line.trim_end());
    }
}
