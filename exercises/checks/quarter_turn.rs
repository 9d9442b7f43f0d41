//! Checks `quarter_turn`, which rotates a picture in tiles.
//!
//! The picture of the last step consists of whole tiles. There Oclgrind counts
//! the memory sectors that a warp touches when it reads and when it writes.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, again, check_fast_kernel, expect, gathered, numbers,
    spread, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/quarter_turn.cl");
const TILE: usize = 16;

fn main() -> ExitCode {
    check_fast_kernel(
        "quarter_turn",
        YOURS,
        "quarter_turn",
        &[
            ("16 x 16: one tile", |kernel| turned(kernel, [TILE; 2])),
            ("32 x 48: six tiles", |kernel| turned(kernel, [32, 48])),
            ("19 x 21: the picture ends within a tile", |kernel| {
                turned(kernel, [19, 21])
            }),
            ("5 x 33, and a single pixel", |kernel| {
                turned(kernel, [5, 33])?;
                turned(kernel, [1, 1])
            }),
            ("64 x 96: 24 tiles", |kernel| turned(kernel, [64, 96])),
        ],
        judge,
    )
}

fn turned(kernel: &Kernel, [rows, columns]: [usize; 2]) -> Outcome {
    let a = numbers(1, rows * columns);
    let arguments =
        [In("a", &a), Out("out", rows * columns), Count(rows), Count(columns)];
    let yours = kernel.run_grid([columns, rows], &arguments)?.remove(0);
    // The result, row by row, if `place` maps a position to the picture's row
    // and column.
    let picture = |place: &dyn Fn(usize, usize) -> (usize, usize)| -> Vec<f32> {
        let all = (0..rows * columns).map(|i| place(i / rows, i % rows));
        all.map(|(row, column)| a[row * columns + column]).collect()
    };
    let to_the_right = picture(&|y, x| (rows - 1 - x, y));
    let to_the_left = picture(&|y, x| (x, columns - 1 - y));
    if again() {
        return match yours == to_the_right && yours != to_the_left {
            true => Err(wrong(
                "The picture is rotated to the right. To rotate to the left, \
                 the right column becomes the top row.",
            )),
            false => expect("out", &yours, &to_the_left),
        };
    }
    let right = to_the_right;
    if yours == right {
        return Ok(());
    }
    if yours == picture(&|y, x| (x, y)) {
        return Err(wrong(
            "Rows and columns are swapped, but nothing is rotated: the picture \
             is mirrored. The last row must become the left column, and the \
             first row the right column.",
        ));
    }
    if yours == to_the_left {
        return Err(wrong(
            "The picture is rotated to the left. To rotate to the right, the \
             left column becomes the top row.",
        ));
    }
    expect("out", &yours, &right)
}

fn judge(launch: &Launch) -> Outcome {
    gathered(
        launch,
        "Let the group rotate the tile in local memory: fill it row by row, \
         wait, and read it column by column. Then x runs along a row of `a` \
         and along a row of `out`.",
    )?;
    spread(
        launch,
        "16 cells whose addresses are 16 apart are in two banks, and each bank \
         serves one at a time. An extra cell at the end of each row of the \
         tile places them in 16 banks.",
    )
}
