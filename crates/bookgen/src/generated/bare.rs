//! The examples that no listing prints as they are. They too must run when
//! nobody types a word behind their name, as `cargo learn run` starts them.

use std::collections::BTreeSet;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::generated::printed::missing;
use crate::generated::program::{self, ended, program};
use crate::generated::tier::Tier;
use crate::manifest::{Manifest, Needs};
use crate::tree::{Fault, Tree, fault};

/// It measures for half a minute, and its listings are printed with words.
const MEASURES: &str = "part2_crossover";

/// Those that take long, with words by which they take seconds.
const LONG: [(&str, &str); 3] = [
    ("part3_how_fast", "--quick"),
    ("part3_names", "--small --steps 2 --count 1"),
    ("part3_shakespeare", "--text README.md --steps 1 --count 10"),
];

/// The example that a command runs as it is run here, if it is one.
fn bare(command: &str) -> Option<String> {
    let program = program(command).ok()?;
    let name = program.file.strip_prefix("examples/")?;
    let is_bare = program.tool.is_empty() && program.variables.is_empty();
    let is_same = is_bare && program.words.join(" ") == words(name);
    is_same.then(|| name.to_string())
}

/// The words behind its name, which most do without.
fn words(name: &str) -> &'static str {
    let long = LONG.iter().find(|(long, _)| *long == name);
    long.map_or("", |(_, words)| words)
}

/// The examples that no other test runs on this machine, by their names.
pub(crate) fn left(
    tree: &Tree,
    manifest: &Manifest,
    is_here: impl Fn(Needs) -> bool,
) -> BTreeSet<String> {
    // Where no gate opens, a program that has one says so and fails.
    let is_here_or_stuck = |it| it == Needs::Gates || is_here(it);
    let printed = manifest.outputs();
    let printed =
        printed.filter(|it| it.code == 0 && is_here_or_stuck(it.needs));
    let measured = manifest.measured.iter().map(|it| it.rehearsal);
    let measured = measured.filter(|_| is_here(Needs::Device));
    let commands = printed.map(|it| it.command).chain(measured);
    let run: BTreeSet<String> = commands.filter_map(bare).collect();
    let name = |(file, _): (&str, &str)| {
        let name = file.strip_prefix("examples/")?.split('/').next()?;
        Some(name.trim_end_matches(".rs").to_string())
    };
    let all = tree.list("examples/", ".rs").filter_map(name);
    all.filter(|it| is_here(Needs::Device) || it.starts_with("part1"))
        .filter(|it| it != MEASURES && !run.contains(it))
        .collect()
}

/// Returns the examples of a tier that fail.
pub(crate) fn failing(
    tree: &Tree,
    manifest: &Manifest,
    tier: Tier,
) -> Vec<Fault> {
    let names = left(tree, manifest, |needs| missing(needs).is_none());
    let commands = names.into_iter().map(|name| {
        let command = match words(&name) {
            "" => format!("cargo run --example {name}"),
            words => format!("cargo run --example {name} -- {words}"),
        };
        (name, command)
    });
    let commands: Vec<(String, String)> =
        commands.filter(|(_, command)| tier.has(command)).collect();
    let texts = commands.iter().map(|(_, command)| command.as_str());
    let folder = program::built(texts).expect("the examples build");
    let runs = commands.into_par_iter().filter_map(|(name, command)| {
        let what = ended(&folder, &command, 0).err()?;
        Some(fault(&format!("examples/{name}"), 1, what))
    });
    runs.collect()
}
