//! Formats rows of cells as text, and wraps them to the width of a terminal.

/// The separator between two columns.
const GAP: &str = "  ";

/// The minimum width of a column that is narrowed.
const MIN_WIDTH: usize = 8;

/// Formats rows of cells as lines, with each column as wide as its widest
/// cell.
pub fn table<const N: usize>(rows: &[[String; N]]) -> String {
    table_within(rows, usize::MAX)
}

/// Formats rows of cells as lines with at most `columns` characters: the
/// widest columns are narrowed, and their cells are wrapped.
pub fn table_within<const N: usize>(
    rows: &[[String; N]],
    columns: usize,
) -> String {
    let mut widths: [usize; N] = std::array::from_fn(|at| {
        rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)
    });
    let room = columns.saturating_sub(GAP.len() * N.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > MIN_WIDTH => *widest -= 1,
            _ => break,
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells: [Vec<String>; N] =
            std::array::from_fn(|at| wrapped(&row[at], widths[at]));
        let high = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..high {
            let cells = cells.iter().zip(&widths).map(|(cell, width)| {
                let part = cell.get(at).map_or("", String::as_str);
                format!("{part:width$}{GAP}")
            });
            text += cells.collect::<String>().trim_end();
            text += "\n";
        }
    }
    text
}

/// Wraps a cell between words. A word that is longer than a line is broken
/// anywhere. A cell that fits is returned unchanged.
fn wrapped(cell: &str, width: usize) -> Vec<String> {
    if cell.chars().count() <= width {
        return vec![cell.to_string()];
    }
    let mut lines = vec![String::new()];
    for word in cell.split_whitespace() {
        let mut letters = word.chars().peekable();
        while letters.peek().is_some() {
            let line = lines.last_mut().expect("there is one");
            let (begun, length) = (line.chars().count(), word.chars().count());
            let space = usize::from(begun > 0);
            if begun > 0 && begun + space + length > width {
                lines.push(String::new());
                continue;
            }
            line.extend(" ".chars().take(space));
            line.extend(letters.by_ref().take(width - begun - space));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<[String; 3]> {
        let numbers: Vec<String> =
            (100..130).map(|it| it.to_string()).collect();
        let long = format!("[{}]", numbers.join(", "));
        let head = ["tensor", "value", "gradient"].map(str::to_string);
        vec![head, ["a".to_string(), long.clone(), long + "  <-- here"]]
    }

    #[test]
    fn a_table_that_fits_is_unchanged() {
        let rows = rows();
        let whole = table(&rows);
        assert_eq!(whole.lines().count(), 2);
        let width = whole.lines().map(|it| it.chars().count()).max().unwrap();
        assert_eq!(table_within(&rows, width), whole);
        assert_ne!(table_within(&rows, width - 1), whole);
    }

    /// Promise: A wrapped table fits the terminal and loses no word.
    #[test]
    fn a_wrapped_table_fits_and_loses_no_word() {
        for columns in [120, 80, 50, 34] {
            let text = table_within(&rows(), columns);
            let fits = |line: &str| line.chars().count() <= columns;
            assert!(text.lines().all(fits), "{columns}:\n{text}");
            for number in 100..130 {
                let word = number.to_string();
                assert_eq!(
                    text.matches(&word).count(),
                    2,
                    "{columns}:\n{text}"
                );
            }
            assert_eq!(text.matches("<-- here").count(), 1, "{text}");
        }
    }

    #[test]
    fn a_word_longer_than_its_line_is_broken() {
        let lines = wrapped("a 0123456789abc d", 8);
        assert_eq!(lines, ["a", "01234567", "89abc d"]);
        assert_eq!(table_within::<1>(&[], 10), "");
        // A single column may use the full width.
        let text = table_within(&[["x".repeat(20)]], 15);
        assert_eq!(text.lines().next(), Some(&"x".repeat(15)[..]));
    }
}
