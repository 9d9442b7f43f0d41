//! Checks `argmax_row`, a tree reduction of values together with their
//! indices.
//!
//! At first one value of a row is larger than all others. Equal values and NaN
//! each have their own step. The last launch is checked by Oclgrind's counts.

use std::process::ExitCode;

use exercises::Argument::{Count, In, PerGroup};
use exercises::{
    Kernel, Outcome, check_fast_kernel, drawn, evenly, gathered, numbers,
    sparing, together, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/argmax_row.cl");
const GROUP: usize = 256;

/// The columns of the last step, whose memory accesses are counted.
const JUDGED: usize = 768;

fn main() -> ExitCode {
    check_fast_kernel(
        "argmax_row",
        YOURS,
        "argmax_row",
        &[
            ("a row of 256: one column per item", |kernel| {
                places(kernel, &with(256, 0.0, &[(77, 9.0)]), 256)
            }),
            ("3 rows of 10, all below 0: most items have no column", below),
            ("a row of 300: the last round is partly filled", |kernel| {
                places(kernel, &with(300, 0.0, &[(290, 9.0)]), 300)
            }),
            ("several equal elements", equal),
            ("several NaNs, and infinity everywhere", special),
            ("a row of 768: three rounds", |kernel| {
                places(kernel, &with(JUDGED, 0.0, &[(767, 9.0)]), JUDGED)
            }),
        ],
        judge,
    )
}

/// Returns a row of values shifted by `by`, with some of them replaced.
fn with(columns: usize, by: f32, others: &[(usize, f32)]) -> Vec<f32> {
    let mut row: Vec<f32> =
        numbers(1, columns).iter().map(|x| x + by).collect();
    for (at, x) in others {
        row[*at] = *x;
    }
    row
}

fn below(kernel: &Kernel) -> Outcome {
    let rows = [4, 0, 9].map(|at| with(10, -9.0, &[(at, -1.0)]));
    places(kernel, &rows.concat(), 10)
}

/// In the first row both maxima belong to one item. In the others, items 2 and 5
/// have one each, and a tree compares the one of item 2 first.
fn equal(kernel: &Kernel) -> Outcome {
    let rows = [[7, 263], [5, 258], [2, 261]]
        .map(|at| with(270, 0.0, &at.map(|at| (at, 9.0))));
    places(kernel, &rows.concat(), 270)
}

fn special(kernel: &Kernel) -> Outcome {
    let none = f32::NAN;
    let rows = [
        with(10, 0.0, &[(2, 9.0), (5, none), (6, none)]),
        with(10, 0.0, &[(7, none), (8, f32::INFINITY)]),
        vec![f32::NEG_INFINITY; 10],
    ];
    places(kernel, &rows.concat(), 10)
}

fn largest(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Returns the first or last index of the largest value; there is always one.
fn place(row: &[f32], mut is_it: impl FnMut(f32) -> bool, last: bool) -> usize {
    let mut places = (0..row.len()).filter(|at| is_it(row[*at]));
    let found = if last { places.next_back() } else { places.next() };
    found.unwrap_or(0)
}

fn right(row: &[f32]) -> usize {
    let most = largest(row);
    match row.iter().any(|x| x.is_nan()) {
        true => place(row, f32::is_nan, is_last()),
        false => place(row, |x| x == most, is_last()),
    }
}

/// Returns whether the last of several equal elements counts, in a variant.
fn is_last() -> bool {
    drawn("last") == Some(1.0)
}

/// The sign of the given elements: a variant that asks for the smallest one
/// gets the negative values.
fn sign() -> f32 {
    drawn("sign").unwrap_or(1.0)
}

fn places(kernel: &Kernel, a: &[f32], columns: usize) -> Outcome {
    let rows = a.len() / columns;
    let given: Vec<f32> = a.iter().map(|x| sign() * x).collect();
    let arguments = [In("a", &given), PerGroup("out", rows), Count(columns)];
    let yours = kernel.run(GROUP * rows, &arguments)?.remove(0);
    let all: Vec<&[f32]> = a.chunks(columns).collect();
    let is = |found: &dyn Fn(usize, &[f32]) -> f32| {
        let mut pairs = all.iter().zip(&yours).enumerate();
        pairs.all(|(r, (row, yours))| *yours == found(r, row))
    };
    if is(&|_, row| right(row) as f32) {
        return Ok(());
    }
    let is_at =
        |found: &dyn Fn(&[f32]) -> usize| is(&|_, row| found(row) as f32);
    let (counts, other) =
        if is_last() { ("last", "first") } else { ("first", "last") };
    let equal = format!(
        "Of several equal elements your kernel takes the {other} one, but the \
         {counts} one should win."
    );
    let why = if is(&|_, row| sign() * largest(row)) {
        "out contains the elements themselves. It should contain their columns."
    } else if is(&|r, row| (r * columns + right(row)) as f32) {
        "Each index is counted from the beginning of a. Here every row begins \
         with column 0."
    } else if is_at(&|row| place(row, |x| x == largest(row), is_last())) {
        "A NaN was ignored: every comparison with it is false, including `x > \
         y`. Test for it with isnan(x); it wins against every number."
    } else if is_at(&|row| place(row, |x| x == largest(row), !is_last())) {
        &equal
    } else if is_at(&by_tree) {
        "Of several equal elements your kernel takes the one that comes first \
         in the tree, but items are not ordered like their columns: item 2 may \
         have column 258, and item 5 column 5. If the elements are equal, \
         compare the columns."
    } else {
        return different(&all, &yours);
    };
    Err(wrong(why))
}

/// Returns the index that a tree finds if it compares only values. In its last
/// round an odd item loses to an even one, and in each round before that the
/// next bit of the item's index decides.
fn by_tree(row: &[f32]) -> usize {
    let most = largest(row);
    let places = (0..row.len()).filter(|at| row[*at] == most);
    let met = |at: &usize| ((at % GROUP) as u8).reverse_bits();
    places.min_by_key(|at| (met(at), *at)).unwrap_or(0)
}

fn different(rows: &[&[f32]], yours: &[f32]) -> Outcome {
    let mut pairs = rows.iter().zip(yours).enumerate();
    let found = pairs.find(|(_, (row, yours))| **yours != right(row) as f32);
    let Some((r, (row, yours))) = found else { return Ok(()) };
    let right = right(row);
    let what = match row.get(*yours as usize) {
        Some(x) => format!("which contains {}", sign() * x),
        None => format!(
            "and the row has {} columns: no element has won. The initial value \
             of an item must lose against every element, even {}",
            row.len(),
            if sign() < 0.0 { "INFINITY" } else { "-INFINITY" }
        ),
    };
    Err(wrong(format!(
        "For row {r} you found column {yours}, {what}. It should be column \
         {right}, which contains {}.",
        sign() * row[right]
    )))
}

/// A value may be loaded twice: once to compare it and once to store it.
fn judge(launch: &Launch) -> Outcome {
    together(
        launch,
        "A step of a warp takes as long for one item as for all of them. Let \
         each item read a part of the row: its own column, and from there \
         every 256th.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         all 256 items read a part of the row: each its own column, and from \
         there every 256th.",
    )?;
    gathered(
        launch,
        "Adjacent items do not read adjacent elements. In the same step of its \
         loop item 1 should read the column after that of item 0, and item 2 \
         the next.",
    )?;
    sparing(
        launch,
        false,
        2 * JUDGED as u64,
        "Every item reads the whole row. A part of it is enough: the tree \
         finds the maximum of all.",
    )
}
