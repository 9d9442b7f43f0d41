//! Checks `stretch_a_row`, which adds a row to each row of a matrix.
//!
//! Some matrices are wide and some are tall, so that swapped axes are
//! detected.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_kernel, drawn, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/stretch_a_row.cl");

fn main() -> ExitCode {
    check_kernel(
        "stretch_a_row",
        YOURS,
        "stretch_a_row",
        &[
            ("3 rows of 4", |kernel| stretched(kernel, [3, 4])),
            ("4 rows of 3", |kernel| stretched(kernel, [4, 3])),
            ("7 rows of 100: three groups", |kernel| {
                stretched(kernel, [7, 100])
            }),
            ("one row, and one column", |kernel| {
                stretched(kernel, [1, 300])?;
                stretched(kernel, [300, 1])
            }),
        ],
    )
}

fn stretched(kernel: &Kernel, [rows, columns]: [usize; 2]) -> Outcome {
    let n = rows * columns;
    if let Some(times) = drawn("times") {
        return stretched_column(kernel, [rows, columns], times);
    }
    let (a, row) = (numbers(1, n), numbers(2, columns));
    let arguments = [
        In("a", &a),
        In("row", &row),
        Out("out", n),
        Count(rows),
        Count(columns),
    ];
    let out = kernel.run(n, &arguments)?.remove(0);
    // Reads past the end of the row have already been rejected.
    let is = |place: &dyn Fn(usize) -> usize| {
        (0..n).all(|i| row.get(place(i)).is_some_and(|it| out[i] == a[i] + it))
    };
    let right: Vec<f32> = (0..n).map(|i| a[i] + row[i % columns]).collect();
    if out == right {
        return Ok(());
    }
    if is(&|i| i / columns) {
        return Err(wrong(
            "Each element was added to the element of its row: i / columns is \
             the row. Its column is the remainder, i % columns.",
        ));
    }
    if is(&|i| i % rows) {
        return Err(wrong(
            "The column was computed from the number of rows. From one row to \
             the next there are `columns` elements, so take the remainder by \
             `columns`.",
        ));
    }
    expect("out", &out, &right)
}

/// The variant: one value per row, and a factor.
fn stretched_column(
    kernel: &Kernel,
    [rows, columns]: [usize; 2],
    times: f32,
) -> Outcome {
    let n = rows * columns;
    let (a, column) = (numbers(1, n), numbers(2, rows));
    let arguments = [
        In("a", &a),
        In("column", &column),
        Out("out", n),
        Count(rows),
        Count(columns),
    ];
    let out = kernel.run(n, &arguments)?.remove(0);
    let right = (0..n).map(|i| a[i] + times * column[i / columns]);
    let right: Vec<f32> = right.collect();
    expect("out", &out, &right)
}
