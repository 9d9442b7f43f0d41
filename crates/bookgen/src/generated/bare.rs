//! Runs the examples that no listing runs without arguments, as `cargo learn
//! run` would start them.

use std::collections::BTreeSet;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::generated::printed::missing;
use crate::generated::program::{self, ended, program};
use crate::generated::tier::Tier;
use crate::manifest::{Manifest, Needs};
use crate::tree::{Fault, Tree, fault};

/// Measures for half a minute. Its listings run it with arguments.
const EXCLUDED: &str = "part2_crossover";

/// Slow examples, with arguments that make them quick.
const SLOW_EXAMPLES: [(&str, &str); 4] = [
    ("part3_how_fast", "--quick"),
    ("part3_names", "--small --steps 2 --count 1"),
    ("part3_names_faster", "--quick"),
    ("part3_shakespeare", "--text README.md --steps 1 --count 10"),
];

/// Returns the example that a command runs, if the command has the same
/// arguments as here.
fn bare(command: &str) -> Option<String> {
    let program = program(command).ok()?;
    let name = program.file.strip_prefix("examples/")?;
    let is_bare = program.tool.is_empty() && program.variables.is_empty();
    let is_same = is_bare && program.words.join(" ") == words(name);
    is_same.then(|| name.to_string())
}

/// Returns the arguments of an example. Most have none.
fn words(name: &str) -> &'static str {
    let long = SLOW_EXAMPLES.iter().find(|(long, _)| *long == name);
    long.map_or("", |(_, words)| words)
}

/// Returns the examples that no other test runs on this machine.
pub(crate) fn left(
    tree: &Tree,
    manifest: &Manifest,
    is_here: impl Fn(Needs) -> bool,
) -> BTreeSet<String> {
    // Without user events that can start commands, these programs exit with an
    // error.
    let is_here_or_gate = |it| it == Needs::Gates || is_here(it);
    let printed = manifest.outputs.iter();
    let printed = printed.filter(|it| is_here_or_gate(it.needs));
    let printed = printed.map(|it| it.command.as_str());
    let measured = manifest.measured.iter();
    let measured = measured.map(|it| it.rehearsal.as_str());
    let measured = measured.filter(|_| is_here(Needs::Device));
    let commands = printed.chain(measured);
    let run: BTreeSet<String> = commands.filter_map(bare).collect();
    let name = |(file, _): (&str, &str)| {
        let name = file.strip_prefix("examples/")?.split('/').next()?;
        Some(name.trim_end_matches(".rs").to_string())
    };
    let all = tree.list("examples/", ".rs").filter_map(name);
    all.filter(|it| is_here(Needs::Device) || it.starts_with("part1"))
        .filter(|it| it != EXCLUDED && !run.contains(it))
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
        let what = ended(&folder, &command).err()?;
        Some(fault(&format!("examples/{name}"), 1, what))
    });
    runs.collect()
}
