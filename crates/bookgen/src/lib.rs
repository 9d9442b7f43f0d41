//! What prints the book: it makes all that no author types, the listings,
//! outputs, diffs, formulas and figures, and it guards the pages. mdBook shows
//! a missing anchor as an empty block and a missing file as text, and exits 0;
//! nothing of that kind, and nothing that is out of date, gets past
//! `cargo test -p bookgen`.
//!
//! Reading order: a [`Tree`] is the repository as data, a page is read from it
//! as mdBook reads it, with the regions between its anchors; the manifest
//! lists what is made, `generated` makes it, and `guards` look at the
//! pages. The checks are functions of a tree, and each is proved in `planted`:
//! a small book that passes, one fault planted, and the sentence that reports
//! it.
//!
//! `UPDATE=1 cargo test -p bookgen` writes what is generated; with `ONLY=part3`
//! beside it, only the outputs whose names contain that word are printed
//! again.

mod anchor;
mod figures;
mod generated;
mod guards;
mod manifest;
mod page;
#[cfg(test)]
mod planted;
#[allow(dead_code)]
#[path = "../../learn/src/predictions.rs"]
mod predictions;
mod tree;

use std::env;
use std::sync::Once;

pub use manifest::Needs;
pub use tree::{Fault, Tree};

use generated::measured;
pub use generated::tier::Tier;

use generated::printed::{self, printed};
use manifest::MANIFEST;

/// This repository, after `UPDATE=1` has written what is generated. What a
/// device prints is written where there is one.
pub fn repository() -> Tree {
    static UPDATE: Once = Once::new();
    UPDATE.call_once(|| {
        if updates() {
            generated::write(MANIFEST.computed(&Tree::of_this_repository()));
            for needs in Needs::ALL {
                if printed::missing(needs).is_none() {
                    generated::write(printed(needs, Tier::Fast));
                }
            }
        }
    });
    Tree::of_this_repository()
}

fn updates() -> bool {
    env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// All that can be read off the files, without running a program.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    guards::faults(tree, &MANIFEST)
}

/// The diffs, formulas, boxes and drawn figures that are not what is computed
/// now.
pub fn stale(tree: &Tree) -> Vec<Fault> {
    generated::compare(tree, MANIFEST.computed(tree))
}

/// The listings with these needs that are not what is printed now.
pub fn misprints(tree: &Tree, needs: Needs, tier: Tier) -> Vec<Fault> {
    generated::compare(tree, MANIFEST.accepted(tree, printed(needs, tier)))
}

/// The measured listings whose words are not those of their programs. No run
/// repeats a time, so only the words are compared.
pub fn mismeasured(tree: &Tree, tier: Tier) -> Vec<Fault> {
    measured::outdated(tree, &MANIFEST, tier)
}

/// The examples that no listing prints as they are, and that do not end well
/// without a word behind their name.
pub fn failing(tree: &Tree, tier: Tier) -> Vec<Fault> {
    generated::bare::failing(tree, &MANIFEST, tier)
}

/// What this machine lacks to print as the book does.
pub fn missing(needs: Needs) -> Option<&'static str> {
    printed::missing(needs)
}
