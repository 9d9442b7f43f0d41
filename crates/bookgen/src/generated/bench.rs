//! Turns the listings of `cargo learn bench` into tables that fit on a page.

use crate::generated::Wanted;
use crate::manifest::Manifest;
use crate::tree::Tree;

/// The columns of a benchmark, with the number of words in a cell. An empty
/// cell is one word, `-`.
const COLUMNS: [(&str, usize); 10] = [
    ("part 3", 2),
    ("launches", 1),
    ("rate", 2),
    ("fused", 2),
    ("part 1", 4),
    ("numpy", 4),
    ("PyTorch graph", 4),
    ("PyTorch compiled", 4),
    ("PyTorch", 4),
    ("candle", 4),
];

/// Returns the file of the table that is made from a benchmark's listing.
pub(crate) fn table_of(listing: &str) -> Option<String> {
    let name = listing.strip_prefix("book/listings/bench_")?;
    Some(format!("book/listings/table_{}.md", name.strip_suffix(".out")?))
}

pub(crate) fn tables(tree: &Tree, manifest: &Manifest) -> Vec<Wanted> {
    let made = manifest.measured.iter().filter_map(|measured| {
        let text = tree.get(&measured.out).unwrap_or_default();
        let what = || format!("{} is not a benchmark's table", measured.out);
        let table = table(text).ok_or_else(what);
        let intro = format!("`{}`\n\n", measured.command);
        Some((table_of(&measured.out)?, table.map(|rows| intro + &rows)))
    });
    made.collect()
}

fn table(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("row "));
    let mut heads = lines.next()?.strip_prefix("row")?.trim_start();
    let mut columns = vec![];
    while !heads.is_empty() {
        let is_next = |column: &&(&str, usize)| heads.starts_with(column.0);
        let column = COLUMNS.iter().find(is_next)?;
        columns.push(*column);
        heads = heads[column.0.len()..].trim_start();
    }
    let rows = lines.map_while(|line| cells(line, &columns));
    let rows: Vec<Vec<String>> = rows.collect();
    // On the processor there are no launches, for example.
    let is_used = |at: &usize| rows.iter().any(|row| row[*at] != "-");
    let used: Vec<usize> = (0..=columns.len()).filter(is_used).collect();
    let names = ["row"].into_iter().chain(columns.iter().map(|it| it.0));
    let names = names.map(str::to_string).collect();
    let line = |cells: &Vec<String>| {
        let cells = used.iter().map(|at| cells[*at].clone());
        format!("| {} |\n", cells.collect::<Vec<String>>().join(" | "))
    };
    let rule = format!("|---|{}\n", "---:|".repeat(used.len() - 1));
    let body: String = rows.iter().map(line).collect();
    Some(line(&names) + &rule + &body)
}

/// Returns the name and the cells of a row. The name has any number of words,
/// so the cells are taken from the right.
fn cells(line: &str, columns: &[(&str, usize)]) -> Option<Vec<String>> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let mut cells = vec![];
    for (_, count) in columns.iter().rev() {
        let is_empty = *words.last()? == "-";
        let count = if is_empty { 1 } else { *count };
        let cell = words.split_off(words.len().checked_sub(count)?);
        cells.push(cell.join(" "));
    }
    cells.push(words.join(" "));
    cells.reverse();
    Some(cells)
}

#[test]
fn a_table_has_the_cells_of_its_listing() {
    let text = "\
$ cargo learn bench

row                 part 3 launches          rate   PyTorch    PyTorch graph
matmul 2048        2.55 ms        - 67.51 TFLOP/s 3.40 ms  0.75 x        -
multiply 1        4.48 \u{b5}s        -             -        -         1.07 \u{b5}s  4.20 x
";
    let wanted = "\
| row | part 3 | rate | PyTorch | PyTorch graph |
|---|---:|---:|---:|---:|
| matmul 2048 | 2.55 ms | 67.51 TFLOP/s | 3.40 ms 0.75 x | - |
| multiply 1 | 4.48 \u{b5}s | - | - | 1.07 \u{b5}s 4.20 x |
";
    assert_eq!(table(text).unwrap(), wanted);
}
