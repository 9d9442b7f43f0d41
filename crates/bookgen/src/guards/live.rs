//! Checks that every live figure has a script, and every script a figure.

use std::collections::BTreeSet;

use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

/// The folder of the scripts, which mdBook copies to the site unchanged.
pub(crate) const FOLDER: &str = "book/src/live/";

/// The packed engine and weights, which belong to several figures.
pub(crate) const PACKED: [&str; 2] =
    ["book/src/live/engine.js", "book/src/live/weights.js"];

pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut named = BTreeSet::from(PACKED.map(str::to_string));
    for page in pages {
        for (at, line) in page.lines() {
            let Some((_, rest)) = line.split_once("data-figure=\"") else {
                continue;
            };
            let name = rest.split('"').next().unwrap_or_default();
            let file = format!("{FOLDER}{name}.js");
            if tree.get(&file).is_none() {
                let what =
                    format!("the figure `{name}` has no script. Write {file}.");
                faults.push(page.fault(at, what));
            }
            named.insert(file);
        }
    }
    let scripts = tree.list(FOLDER, "").map(|(file, _)| file);
    let unused = scripts.filter(|file| !named.contains(*file));
    let what = "no figure of a page has this name. Remove the file, or write \
                data-figure on a <figure>.";
    faults.extend(unused.map(|file| fault(file, 1, what)));
    faults
}
