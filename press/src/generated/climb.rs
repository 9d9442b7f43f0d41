//! What each rung of the ladder changed: its time and its counters beside those
//! of the rung below, out of the tables that were measured. "The matmul
//! ladder".

use crate::generated::Wanted;
use crate::tree::Tree;

const LADDER: &str = "book/listings/part2_ladder_h200.out";
const CARD: &str = "book/listings/profile_card_h200.out";

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
    let [global, local, rate] =
        [number(&ladder, 1)?, number(&ladder, 2)?, number(&ladder, 4)?];
    let sectors = number(&card, 1)? / number(&card, 2)?;
    let share = word(&ladder, 5)?;
    Ok(vec![
        ("TFLOP/s (of the library)", format!("{:.1} ({share})", rate / 1e3)),
        ("loads for an element, global", format!("{global:.0}")),
        ("loads for an element, local", format!("{local:.0}")),
        ("sectors for a load of a warp", format!("{sectors:.1}")),
        ("registers of an item", word(&card, 8)?.into()),
    ])
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
