//! Checks `two_axes`, a two-dimensional launch.
//!
//! A square of one group hides which axis is which. So it comes first, where
//! only the values can be wrong. Later steps check where each item writes.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, Out};
use exercises::{Kernel, Outcome, check_kernel, drawn, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/two_axes.cl");
const TILE: usize = 16;

fn main() -> ExitCode {
    check_kernel(
        "two_axes",
        YOURS,
        "two_axes",
        &[
            ("16 x 16: one group", square),
            ("20 rows of 5: the rows follow each other", tall),
            ("16 x 48: three groups", |kernel| table(kernel, [16, 48])),
            ("20 x 35: the groups extend beyond both ends", |kernel| {
                table(kernel, [20, 35])
            }),
        ],
    )
}

fn square(kernel: &Kernel) -> Outcome {
    let (a, b) = (numbers(1, TILE), numbers(2, TILE));
    let arguments = [
        In("a", &a),
        In("b", &b),
        Out("out", TILE * TILE),
        Count(TILE),
        Count(TILE),
    ];
    let out = kernel.run_grid([TILE; 2], &arguments)?.remove(0);
    let other = products(&b, &a);
    if out == other && out != products(&a, &b) {
        return Err(wrong(
            "The table is transposed: at row r and column c it contains a[c] * \
             b[r]. The row is the index into a and the column the index into \
             b, and the rows follow each other.",
        ));
    }
    expect("out", &out, &products(&a, &b))
}

fn products(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().flat_map(|a| b.iter().map(move |b| cell(*a, *b))).collect()
}

/// The expected value for a row and a column.
fn cell(a: f32, b: f32) -> f32 {
    drawn("times").map_or(a * b, |times| a - times * b)
}

/// Checks a tall table with zeros after its end, which show stray writes.
fn tall(kernel: &Kernel) -> Outcome {
    let [rows, columns] = [20, 5];
    if kernel.is_simulated() {
        // Oclgrind detects writes past the end of the table.
        return table(kernel, [rows, columns]);
    }
    let (a, b) = (numbers(1, rows), numbers(2, columns));
    let arguments =
        [In("a", &a), In("b", &b), Log(1024), Count(rows), Count(columns)];
    let out = kernel.run_grid([columns, rows], &arguments)?.remove(0);
    // Whether the output is what you get if the item of row r and column c
    // writes to `place`; several items may write to the same one.
    let is = |items: [usize; 2], place: &dyn Fn(usize, usize) -> usize| {
        let mut held = vec![Vec::new(); out.len()];
        for r in 0..rows.min(items[0]) {
            for c in 0..columns.min(items[1]) {
                held[place(r, c)].push(cell(a[r], b[c]));
            }
        }
        out.iter().zip(&held).all(|(out, held)| match held.is_empty() {
            true => *out == 0.0,
            false => held.contains(out),
        })
    };
    let all = [rows, columns];
    if is(all, &|r, c| r * columns + c) {
        return Ok(());
    }
    if is(all, &|r, c| r * rows + c) {
        return Err(wrong(
            "You use the number of rows as the distance between rows. A row \
             has `columns` elements, so row r begins at r * columns.",
        ));
    }
    if is(all, &|r, c| c * rows + r) {
        return Err(wrong(
            "In your table the columns follow each other in memory. The rows \
             should: row r begins at r * columns, and c is the position in it.",
        ));
    }
    // The launch is 16 items wide and 32 high.
    if is([TILE, 2 * TILE], &|r, c| r * columns + c) {
        return Err(wrong(
            "Rows 16 and above are missing: the launch has one item per column \
             along axis 0, and one per row along axis 1. So get_global_id(0) \
             is the column, and get_global_id(1) the row.",
        ));
    }
    // Guard values show any other mistake.
    table(kernel, [rows, columns])
}

fn table(kernel: &Kernel, [rows, columns]: [usize; 2]) -> Outcome {
    let (a, b) = (numbers(1, rows), numbers(2, columns));
    let arguments = [
        In("a", &a),
        In("b", &b),
        Out("out", rows * columns),
        Count(rows),
        Count(columns),
    ];
    let out = kernel.run_grid([columns, rows], &arguments)?.remove(0);
    expect("out", &out, &products(&a, &b))
}
