//! Checks listings with measured times. The numbers cannot be reproduced, so
//! the tests compare only the words with the program's output, and the page
//! must link to its machine.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::generated::bench;
use crate::generated::program::{self, broken};
use crate::generated::tier::Tier;
use crate::manifest::{Manifest, Measured};
use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

/// Checks that a listing begins with its command, and that its page links to
/// its machine.
pub(crate) fn check(
    tree: &Tree,
    pages: &[Page],
    manifest: &Manifest,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for Measured { out, command, machine, .. } in &manifest.measured {
        let text = tree.get(out).unwrap_or_default();
        if !text.starts_with(&format!("$ {}\n", broken(command))) {
            let what = format!(
                "this does not begin with its command. Measure it again with \
                 `{command}`."
            );
            faults.push(fault(out, 1, what));
        }
        let link = format!("[{machine}](machines.md)");
        let is_silent = |page: &&Page| !page.text.contains(&link);
        for page in pages.iter().filter(is_silent) {
            let what = format!(
                "this was measured, and the page does not say where. \
                 Write \"{link}\"."
            );
            let table = bench::table_of(out);
            if table.is_some_and(|table| page.holds(&table)) {
                faults.push(page.fault(0, &what));
            }
            let includes = page.includes().into_iter();
            let shown = includes.filter(|(_, _, i)| i.file == *out);
            faults.extend(shown.map(|(at, ..)| page.fault(at, &what)));
        }
    }
    faults
}

/// Returns the listings whose words differ from their programs' output.
pub(crate) fn outdated(
    tree: &Tree,
    manifest: &Manifest,
    tier: Tier,
) -> Vec<Fault> {
    let measured = manifest.measured.iter();
    let measured = measured.filter(|it| tier.has(&it.rehearsal));
    let rehearsals = measured.clone().map(|m| m.rehearsal.as_str());
    let rehearsals = rehearsals.filter(|it| script(it).is_none());
    let rehearsals: BTreeSet<&str> = rehearsals.collect();
    let examples = program::built(rehearsals.iter().copied());
    let examples = examples.expect("the examples build");
    let texts = rehearsals
        .into_par_iter()
        .map(|command| (command, program::listing(&examples, command, &[])));
    let texts: BTreeMap<&str, Result<String, String>> = texts.collect();
    let differing = |Measured { out, command, rehearsal, .. }: &Measured| {
        let found = tree.get(out).unwrap_or_default();
        let what = match script(rehearsal) {
            Some(script) => {
                let texts = tree.list(script, "").map(|(_, text)| text);
                let word = foreign(found, &texts.collect::<String>())?;
                format!("the script of this listing does not have `{word}`")
            }
            None => {
                let text = texts[rehearsal.as_str()].clone().map(|text| {
                    let [from, to] = [rehearsal, command].map(|it| broken(it));
                    unlike(found, &text.replacen(&from, &to, 1))
                });
                let line = text.unwrap_or_else(Some)?;
                format!("the program and this listing differ in `{line}`")
            }
        };
        let what = format!("{what}. Measure it again with `{command}`.");
        Some(fault(out, 1, what))
    };
    measured.filter_map(differing).collect()
}

/// Returns the sources of a command that the tests do not run: a profiler's
/// script, or the benchmark, which would take minutes.
fn script(command: &str) -> Option<&str> {
    if command.starts_with("cargo learn bench") {
        return Some("crates/tools/src/bin/bench/");
    }
    if command.starts_with("python3 benches/peers/experiments.py") {
        // The script and its modules.
        return Some("benches/peers/experiment");
    }
    command.strip_prefix("python3 ")?.split(' ').next()
}

/// Returns a word of a listing that is not in the script. The command and the
/// names of machines are ignored.
pub(crate) fn foreign(found: &str, script: &str) -> Option<String> {
    let lines = found.lines().skip_while(|line| line.starts_with(['$', ' ']));
    let mut words = lines
        .filter(|line| !MACHINE.iter().any(|start| line.starts_with(start)))
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_end_matches([':', ',', '.']))
        .filter(|word| word.starts_with(char::is_alphabetic))
        .filter(|word| !UNITS.contains(word));
    words.find(|word| !script.contains(word)).map(str::to_string)
}

/// Returns a line that only one of two texts contains. Numbers, units, names
/// of machines and repetitions are ignored.
pub(crate) fn unlike(found: &str, wanted: &str) -> Option<String> {
    let (found, wanted) = (form(found), form(wanted));
    found.symmetric_difference(&wanted).next().cloned()
}

/// Words that follow a number.
const UNITS: [&str; 7] =
    ["ns", "\u{b5}s", "ms", "s", "GB/s", "GFLOP/s", "TFLOP/s"];

/// How lines begin that depend on the machine or on one run; `@` begins an
/// instruction of a card.
const MACHINE: [&str; 8] = [
    "device  ", "host    ", "peer  ", "gpu:", "engines ", "date ", "kept in ",
    "@",
];

/// A network's output below this line differs in each run.
pub(crate) const WRITTEN: &str = "\nIt writes:\n";

/// Returns the lines without the parts that differ between runs.
fn form(text: &str) -> BTreeSet<String> {
    let ours = text.split_inclusive(WRITTEN).next().unwrap_or_default();
    let lines = ours.lines().map(str::trim_end);
    lines
        .filter(|line| !MACHINE.iter().any(|start| line.starts_with(start)))
        .map(|line| {
            let line = line.split_once(" on gpu:").map_or(line, |it| it.0);
            let mut words: Vec<&str> =
                line.split_whitespace().map(shape).collect();
            words.dedup();
            words.join(" ")
        })
        .collect()
}

/// Returns the word, or a placeholder for a number or a unit of time.
fn shape(word: &str) -> &str {
    match word {
        "ns" | "µs" | "ms" | "s" => "time",
        _ if word.parse::<f64>().is_ok() => "#",
        _ if !word.contains(char::is_alphabetic) => "#",
        // A size, or a number with its unit; `…` replaces a number.
        _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '…') => {
            "#"
        }
        _ => word,
    }
}
