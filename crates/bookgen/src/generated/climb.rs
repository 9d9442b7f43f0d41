//! What each rung of the ladder changed: its time and its counters beside those
//! of the rung below, out of the tables that were measured. "The matmul
//! ladder".

use crate::generated::Wanted;
use crate::tree::Tree;

const LADDER: &str = "book/listings/part2_ladder_h200.out";
const CARD: &str = "book/listings/profile_card_h200.out";
const RUNGS: &str = "book/listings/part2_rungs_h200.out";
const WAITS: &str = "book/listings/part2_waits_h200.out";

/// Whose profile says how many sectors would do.
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

/// The rungs that have one below them.
const CLIMBED: std::ops::RangeInclusive<usize> = 2..=8;

/// A table for each rung that has one below it.
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

/// What is known of a rung, and what it is called.
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
    // An instruction is begun for 32 products, so one of these is a product.
    let products = 100.0 / number(&counted, 3)?;
    let of = |words: &[String], places: &[usize]| {
        let words: Result<Vec<&str>, String> =
            places.iter().map(|&at| word(words, at)).collect();
        words.map(|words| words.join(", "))
    };
    let percent = |words: &[String], places: &[usize]| {
        of(words, places).map(|it| format!("{it} %"))
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
        ("bank conflicts, 1000 products", of(&counted, &[8])?),
        ("instructions for a product", of(&counted, &[3])?),
        (
            "products, local loads among them",
            format!("{products:.0}, {} %", word(&counted, 5)?),
        ),
        ("slots for instructions used", percent(&counted, &[6])?),
        ("occupancy", percent(&counted, &[7])?),
        ("registers of an item", of(&counted, &[9])?),
        ("waits: global, local, barrier", percent(&waits, &[1, 2, 3])?),
    ])
}

/// How many sectors would do for a load of a warp, on the average, by the
/// profile of the rung. That of rung 7 is that of rung 6.
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

/// The words of the first line that is meant.
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

/// Nobody can repeat these times, but two programs took them: a rung that one
/// of them calls faster by a tenth was not measured with the other.
#[test]
fn the_times_of_the_rungs_are_those_of_the_ladder() {
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
