//! What is looked for on the pages, in the order in which an author meets it.

pub(crate) mod blank;
pub(crate) mod chapter;
pub(crate) mod contrast;
pub(crate) mod figure;
pub(crate) mod links;
pub(crate) mod listings;
pub(crate) mod live;
pub(crate) mod names;
pub(crate) mod terms;

use crate::anchor;
use crate::generated::{exercise, growth, measured, predict};
use crate::manifest::Manifest;
use crate::page::Page;
use crate::tree::{Fault, Tree};

/// All that can be read off the files, without running a program.
pub(crate) fn faults(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    let pages = Page::all(tree);
    let contents = links::summary(tree);
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(listings::check(tree, page, manifest));
        faults.extend(figure::placed(page));
        let exercise = exercise::is_of(tree, &page.path);
        let entry = contents
            .iter()
            .find(|entry| entry.file.as_deref() == Some(page.path.as_str()));
        faults.extend(chapter::check(page, entry, exercise));
        faults.extend(chapter::sentences(page));
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
    faults.extend(live::check(tree, &pages));
    faults.extend(listings::shown(tree, &pages));
    faults.extend(manifest.orphans(tree));
    faults.extend(growth::check(tree, manifest));
    faults.extend(measured::check(tree, &pages, manifest));
    faults.extend(links::contents(tree, &pages));
    faults.extend(links::check(tree, &pages));
    faults.extend(links::offline(tree));
    faults.extend(names::check(tree));
    faults.extend(terms::check(&pages));
    faults.extend(exercise::check(tree, &pages));
    faults.extend(predict::check(tree, &pages, &contents));
    faults.extend(contrast::check(tree));
    faults.sort();
    faults
}
