//! Tables of the chapters about the matmul ladder from the measured
//! listings: each rung beside the rung below, and the rungs 5 to 8 with one
//! change taken back or made early.

use crate::generated::Wanted;
use crate::tree::Tree;

const LADDER: &str = "book/listings/part2_ladder_h200.out";
const CARD: &str = "book/listings/profile_card_h200.out";
const COUNTERS: &str = "book/listings/experiment_counters_ladder_h200.out";
const ABLATION: &str = "book/listings/ablation.md";

/// The rungs with a rung below them.
const CLIMBED: std::ops::RangeInclusive<usize> = 2..=8;

/// Multiply-adds of a product of 4096 x 4096 matrices.
const MULTIPLY_ADDS: f64 = 4096.0 * 4096.0 * 4096.0;

/// Clocks per millisecond of all compute units of an H200. In each clock a
/// unit serves one wavefront and issues four instructions.
const UNIT_CLOCKS: f64 = 132.0 * 1.98e6;
const ISSUES: f64 = 4.0;

/// The rows of the ablation: the label of the listing, and the change.
const CHANGES: [(&str, &str); 9] = [
    ("rung 5", "rung 5"),
    ("rung 5, unrolled", "rung 5, loop unrolled"),
    ("rung 5, transposed", "rung 5, tile of `a` transposed"),
    ("rung 5, transposed, padded", "rung 5, transposed and padded"),
    ("rung 6, single loads", "rung 6, single floats from global memory"),
    ("rung 6, not unrolled", "rung 6, loop not unrolled"),
    ("rung 6, not padded", "rung 6, not padded"),
    ("rung 6", "rung 6"),
    ("rung 7", "rung 7"),
];

/// The reasons why a warp does not issue that a table may show: the column of
/// the listing, and the name that `ncu` displays.
const STALLS: [(usize, &str); 8] = [
    (1, "selected"),
    (2, "not selected"),
    (4, "wait"),
    (5, "long scoreboard"),
    (6, "short scoreboard"),
    (7, "barrier"),
    (8, "MIO throttle"),
    (9, "LG throttle"),
];

/// A smaller percentage of a warp's time is not shown.
const LEAST_STALL: f64 = 10.0;

/// Returns a table for each rung with a rung below it, and the ablation.
pub(crate) fn tables(tree: &Tree) -> Vec<Wanted> {
    if tree.get(LADDER).is_none() {
        return vec![];
    }
    let rungs = CLIMBED.map(|rung| {
        (format!("book/listings/rung{rung}.md"), table(tree, rung))
    });
    rungs.chain([(ABLATION.to_string(), ablation(tree))]).collect()
}

/// Returns the rows that differ between a rung and the rung below.
fn table(tree: &Tree, rung: usize) -> Result<String, String> {
    let [below, this] = [column(tree, rung - 1)?, column(tree, rung)?];
    let mut text = format!(
        "| 4096 × 4096 | rung {} | rung {rung} |\n|---|---:|---:|\n",
        rung - 1
    );
    for ((what, old), (_, new)) in below.into_iter().zip(this) {
        if old != new {
            text += &format!("| {what} | {old} | {new} |\n");
        }
    }
    let [old, new] =
        [rung - 1, rung].map(|it| counted(tree, &format!("rung {it}"), 2));
    let (old, new) = (old?, new?);
    for (at, name) in STALLS {
        let values = [number(&old, at)?, number(&new, at)?];
        if values.iter().any(|value| *value >= LEAST_STALL) {
            let [old, new] = values;
            text += &format!("| {name}, % | {old} | {new} |\n");
        }
    }
    Ok(text)
}

/// Returns the rows of a rung, each with its label.
fn column(
    tree: &Tree,
    rung: usize,
) -> Result<Vec<(&'static str, String)>, String> {
    let kernel = format!("matmul{rung}_");
    let ladder = words(tree, LADDER, |line| line.starts_with(&kernel))?;
    let card = words(tree, CARD, |line| {
        line.starts_with(&kernel) && line.ends_with(" -O")
    })?;
    let label = format!("rung {rung}");
    let (issued, moved) =
        (counted(tree, &label, 0)?, counted(tree, &label, 1)?);
    let [global, local, rate] =
        [number(&ladder, 1)?, number(&ladder, 2)?, number(&ladder, 4)?];
    let sectors = number(&card, 1)? / number(&card, 2)?;
    let share = word(&ladder, 5)?;
    Ok(vec![
        (
            "time in ms (under the profiler)",
            format!("{} ({})", word(&issued, 1)?, word(&issued, 2)?),
        ),
        ("TFLOP/s (of the library)", format!("{:.1} ({share})", rate / 1e3)),
        ("loads per element, global memory", format!("{global:.0}")),
        ("loads per element, local memory", format!("{local:.0}")),
        ("sectors per load of a warp", format!("{sectors:.1}")),
        ("wavefronts alone, ms", rounded(number(&moved, 3)? / UNIT_CLOCKS)),
        ("instructions per multiply-add", instructions(&issued)?),
        (
            "instructions alone, ms",
            rounded(number(&issued, 3)? / ISSUES / UNIT_CLOCKS),
        ),
        ("issue slots used, %", word(&issued, 6)?.to_string()),
        ("occupancy, %", word(&issued, 7)?.to_string()),
        ("registers per item", word(&issued, 8)?.to_string()),
    ])
}

fn ablation(tree: &Tree) -> Result<String, String> {
    let mut text = "| 4096 × 4096 | ms | instructions per multiply-add \
                    | bank conflicts per 1,000 multiply-adds | issue, % \
                    | long scoreboard, % |\n|---|---:|---:|---:|---:|---:|\n"
        .to_string();
    for (label, change) in CHANGES {
        let [issued, moved, stalls] =
            [0, 1, 2].map(|table| counted(tree, label, table));
        let (issued, moved, stalls) = (issued?, moved?, stalls?);
        text += &format!(
            "| {change} | {} | {} | {} | {} | {} |\n",
            word(&issued, 1)?,
            instructions(&issued)?,
            rounded(1e3 * number(&moved, 2)? / MULTIPLY_ADDS),
            word(&issued, 6)?,
            word(&stalls, 5)?,
        );
    }
    Ok(text)
}

/// An instruction is executed for the 32 items of a warp.
fn instructions(issued: &[String]) -> Result<String, String> {
    Ok(rounded(32.0 * number(issued, 3)? / MULTIPLY_ADDS))
}

/// Formats a value with two significant digits, as the listing has it.
fn rounded(value: f64) -> String {
    let digits = 1 - value.abs().log10().floor() as i32;
    let unit = 10f64.powi(digits);
    let value = (value * unit).round() / unit;
    format!("{value:.*}", digits.max(0) as usize)
}

/// Returns the cells of a row in one of the three tables of the counters.
fn counted(
    tree: &Tree,
    label: &str,
    table: usize,
) -> Result<Vec<String>, String> {
    let text =
        tree.get(COUNTERS).ok_or(format!("`{COUNTERS}` does not exist."))?;
    let cells = |line: &str| -> Vec<String> {
        let cells = line.split("  ").map(str::trim);
        cells.filter(|it| !it.is_empty()).map(str::to_string).collect()
    };
    let mut rows = text
        .lines()
        .map(cells)
        .filter(|row| row.first().is_some_and(|first| first == label));
    rows.nth(table).ok_or(format!("`{COUNTERS}` lacks a row `{label}`."))
}

/// Returns the words of the first line that matches.
fn words(
    tree: &Tree,
    file: &str,
    is_meant: impl Fn(&str) -> bool,
) -> Result<Vec<String>, String> {
    let text = tree.get(file).ok_or(format!("`{file}` does not exist."))?;
    let line = text.lines().find(|line| is_meant(line));
    let line = line.ok_or(format!("`{file}` lacks a line of the ladder."))?;
    Ok(line.split_whitespace().map(str::to_string).collect())
}

fn number(words: &[String], at: usize) -> Result<f64, String> {
    let word = word(words, at)?;
    word.parse().map_err(|_| format!("`{word}` is not a number."))
}

fn word(words: &[String], at: usize) -> Result<&str, String> {
    let word = words.get(at).map(String::as_str);
    word.ok_or(format!("`{}` is too short.", words.join(" ")))
}

/// The times cannot be reproduced, but two programs measured them. If they
/// differ by more than a tenth, the measurements do not belong together.
#[test]
fn both_measurements_of_the_ladder_agree() {
    let tree = Tree::of_this_repository();
    for rung in 1..=8 {
        let kernel = format!("matmul{rung}_");
        let ladder = words(&tree, LADDER, |line| line.starts_with(&kernel));
        let counters = counted(&tree, &format!("rung {rung}"), 0);
        let [one, other] = [(ladder, 3), (counters, 1)]
            .map(|(words, at)| number(&words.unwrap(), at).unwrap());
        assert!((one / other - 1.0).abs() < 0.1, "rung {rung}: {one}, {other}");
    }
}
