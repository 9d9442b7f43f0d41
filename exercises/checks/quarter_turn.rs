//! Checks `quarter_turn`, which rotates a picture in tiles.
//!
//! The picture of the last step consists of whole tiles. There Oclgrind counts
//! the memory sectors that a warp touches when it reads and when it writes.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, check_fast_kernel, drawn, expect, gathered, numbers,
    spread, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/quarter_turn.cl");
const TILE: usize = 16;

/// The pictures whose top row is a column of `a`. The two values say whether
/// the rows and the columns of `a` are counted backward.
const PICTURES: [([bool; 2], &str); 4] = [
    ([true, false], "rotated to the right"),
    ([false, true], "rotated to the left"),
    ([false, false], "mirrored at its main diagonal"),
    ([true, true], "mirrored at its other diagonal"),
];

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
    let picture = |is_back: [bool; 2]| -> Vec<f32> {
        let at = |is_back, i, n| if is_back { n - 1 - i } else { i };
        let pixel = |i: usize| {
            let row = at(is_back[0], i % rows, rows);
            a[row * columns + at(is_back[1], i / rows, columns)]
        };
        (0..rows * columns).map(pixel).collect()
    };
    // A variant draws one of the other pictures.
    let wanted = [("rows_back", 1.0), ("columns_back", 0.0)]
        .map(|(name, own)| drawn(name).unwrap_or(own) != 0.0);
    let right = picture(wanted);
    if yours == right {
        return Ok(());
    }
    let of = |is_it: &dyn Fn([bool; 2]) -> bool| {
        PICTURES.iter().find(|(it, _)| is_it(*it)).map(|(_, name)| name)
    };
    let found = of(&|it| yours == picture(it));
    let (Some(found), Some(name)) = (found, of(&|it| it == wanted)) else {
        return expect("out", &yours, &right);
    };
    let end = if wanted[0] { "bottom up" } else { "top down" };
    let side = if wanted[1] { "right" } else { "left" };
    Err(wrong(format!(
        "The picture is {found}. It should be {name}: the {side} column \
         becomes the top row, read from the {end}."
    )))
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
