//! The checks of the pages.

mod blank;
mod contrast;
mod figure;
pub(crate) mod glossary;
mod length;
pub(crate) mod links;
mod listings;
mod live;

use crate::anchor;
use crate::generated::{exercise, growth, measured, predict, questions, rest};
use crate::manifest::Manifest;
use crate::page::Page;
use crate::tree::{Fault, Tree};

/// Returns every error that can be found without running a program.
pub(crate) fn faults(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    let pages = Page::all(tree);
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(listings::check(tree, page, manifest));
        faults.extend(figure::placed(page));
        faults.extend(blank::check(page));
    }
    let quoted: Vec<_> =
        pages.iter().flat_map(|page| page.includes()).collect();
    let is_used = |file: &str, anchor: &str| {
        manifest.uses(file, anchor)
            || quoted.iter().any(|(_, _, include)| {
                include.file == file
                    && include.anchor.as_deref() == Some(anchor)
            })
    };
    faults.extend(anchor::check(tree, is_used));
    faults.extend(figure::check(tree));
    faults.extend(length::check(tree));
    faults.extend(live::check(tree, &pages));
    faults.extend(listings::shown(tree, &pages));
    faults.extend(manifest.orphans(tree));
    faults.extend(growth::check(tree, manifest));
    faults.extend(measured::check(tree, &pages, manifest));
    faults.extend(links::contents(tree, &pages));
    faults.extend(links::check(tree, &pages));
    faults.extend(links::offline(tree));
    faults.extend(links::redirected(tree));
    faults.extend(exercise::check(tree, &pages));
    faults.extend(predict::check(tree, &pages));
    faults.extend(questions::check(tree, &pages));
    faults.extend(rest::check(tree, manifest));
    faults.extend(contrast::check(tree));
    faults.extend(glossary::check(&pages));
    faults.sort();
    faults.dedup();
    faults
}
