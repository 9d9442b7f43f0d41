//! The check of `stretch_a_row`, a row that is added to each row of a matrix.
//!
//! Rows are longer than columns and shorter than they, so that neither axis
//! passes for the other.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, again, check_kernel, expect, numbers, wrong};

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
    if again() {
        return stretched_column(kernel, [rows, columns]);
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
    // What was read behind the row has been refused before.
    let is = |place: &dyn Fn(usize) -> usize| {
        (0..n).all(|i| row.get(place(i)).is_some_and(|it| out[i] == a[i] + it))
    };
    let right: Vec<f32> = (0..n).map(|i| a[i] + row[i % columns]).collect();
    if out == right {
        return Ok(());
    }
    if is(&|i| i / columns) {
        return Err(wrong(
            "Each element has taken the number of its row: i / columns says \
             which row it stands in. Its column is what is left, i % columns.",
        ));
    }
    if is(&|i| i % rows) {
        return Err(wrong(
            "A column was looked for by the number of rows. From one row to \
             the next there are `columns` elements, so that the remainder \
             belongs to them.",
        ));
    }
    expect("out", &out, &right)
}

/// The variant: a number for each row.
fn stretched_column(kernel: &Kernel, [rows, columns]: [usize; 2]) -> Outcome {
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
    let right: Vec<f32> = (0..n).map(|i| a[i] + column[i / columns]).collect();
    expect("out", &out, &right)
}
