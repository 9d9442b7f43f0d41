//! Compares each rung of "The matmul ladder" with the rung below: its time and
//! counters, from the measured tables.

use crate::generated::Wanted;
use crate::tree::Tree;

const LADDER: &str = "book/listings/part2_ladder_h200.out";
const CARD: &str = "book/listings/profile_card_h200.out";
const RUNGS: &str = "book/listings/part2_rungs_h200.out";
const WAITS: &str = "book/listings/part2_waits_h200.out";

/// The kernels whose profiles contain the minimum number of sectors.
const PROFILED: [&str; 8] = [
    "naive",
    "coalesced",
    "tiled",
    "column",
    "block",
    "vector",
    "vector",
    "tall",
];

/// The rungs with a rung below them.
const CLIMBED: std::ops::RangeInclusive<usize> = 2..=8;

/// Returns a table for each rung with a rung below it.
pub(crate) fn tables(tree: &Tree) -> Vec<Wanted> {
    if tree.get(LADDER).is_none() {
        return vec![];
    }
    CLIMBED.map(|rung| (out(rung), table(tree, rung))).collect()
}

fn out(rung: usize) -> String {
    format!("book/listings/rung{rung}.md")
}

fn table(tree: &Tree, rung: usize) -> Result<String, String> {
    let [below, this] = [column(tree, rung - 1)?, column(tree, rung)?];
    let mut text = format!(
        "| 4096 × 4096 | rung {} | rung {rung} |\n|---|---:|---:|\n",
        rung - 1
    );
    for ((what, old), (_, new)) in below.into_iter().zip(this) {
        text += &format!("| {what} | {old} | {new} |\n");
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
    let start = format!("{rung}  ");
    let counted = words(tree, RUNGS, |line| line.starts_with(&start))?;
    let waits = words(tree, WAITS, |line| line.starts_with(&start))?;
    let [global, local, rate] =
        [number(&ladder, 1)?, number(&ladder, 2)?, number(&ladder, 4)?];
    let sectors = number(&card, 1)? / number(&card, 2)?;
    let least = least_sectors(tree, rung)?;
    // An instruction is executed for 32 items, so one of these is a product.
    let products = 100.0 / number(&counted, 3)?;
    let cells = |words: &[String], places: &[usize]| {
        let words: Result<Vec<&str>, String> =
            places.iter().map(|&at| word(words, at)).collect();
        words.map(|words| words.join(", "))
    };
    let percent = |words: &[String], places: &[usize]| {
        cells(words, places).map(|it| format!("{it} %"))
    };
    let share = word(&ladder, 5)?;
    Ok(vec![
        ("TFLOP/s (of the library)", format!("{:.1} ({share})", rate / 1e3)),
        ("loads for an element, global", format!("{global:.0}")),
        ("loads for an element, local", format!("{local:.0}")),
        (
            "sectors for a load of a warp (least)",
            format!("{sectors:.1} ({least:.1})"),
        ),
        ("bank conflicts, 1000 products", cells(&counted, &[8])?),
        ("instructions for a product", cells(&counted, &[3])?),
        (
            "products, local loads among them",
            format!("{products:.0}, {} %", word(&counted, 5)?),
        ),
        ("slots for instructions used", percent(&counted, &[6])?),
        ("occupancy", percent(&counted, &[7])?),
        ("registers of an item", cells(&counted, &[9])?),
        ("waits: global, local, barrier", percent(&waits, &[1, 2, 3])?),
    ])
}

/// Returns the minimum number of sectors for a load of a warp, on average,
/// from the profile of the rung. Rung 7 has the same minimum as rung 6.
fn least_sectors(tree: &Tree, rung: usize) -> Result<f64, String> {
    let name = PROFILED[rung - 1];
    let file = format!("book/listings/profile_{name}.out");
    let text = tree.get(&file).ok_or(format!("`{file}` does not exist."))?;
    let (mut loads, mut sectors) = (0.0, 0.0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "load", "global", _, times, _, _, least, ..] = words[..] else {
            continue;
        };
        let least = least.trim_matches(['(', ')', '<']);
        let all = [times, least].map(str::parse::<f64>);
        let [Ok(times), Ok(least)] = all else {
            return Err(format!("`{file}`: no load in `{line}`."));
        };
        loads += times;
        sectors += times * least;
    }
    Ok(sectors / loads)
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
    word.parse().map_err(|_| format!("`{word}` is no number."))
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
        let start = format!("{rung}  ");
        let rungs = words(&tree, RUNGS, |line| line.starts_with(&start));
        let [one, other] = [(ladder, 3), (rungs, 1)]
            .map(|(words, at)| number(&words.unwrap(), at).unwrap());
        assert!((one / other - 1.0).abs() < 0.1, "rung {rung}: {one}, {other}");
    }
}
