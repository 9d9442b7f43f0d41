//! Generates the listings, outputs, diffs, formulas and figures of the book,
//! and checks its pages. mdBook shows a missing anchor as an empty block and a
//! missing file as text, and exits with 0. `cargo test -p bookgen` reports
//! these, and everything that is out of date.
//!
//! A [`Tree`] is the repository as data. `page` reads a page from it as mdBook
//! does, and `anchor` the regions between anchors. `manifest.toml` lists the
//! generated files, `generated` generates them, and `guards` checks the pages.
//! Each check is tested in `planted`: a small book that passes, one edit, and
//! the message that reports it.
//!
//! `UPDATE=1 cargo test -p bookgen` writes the generated files. `ONLY=part3`
//! restricts it to outputs whose names contain that word.

mod anchor;
mod figures;
mod generated;
mod guards;
mod manifest;
mod page;
#[cfg(test)]
mod planted;
mod tree;

use std::env;
use std::sync::Once;

pub use manifest::Needs;
pub use tree::{Fault, Tree};

use generated::measured;
pub use generated::tier::Tier;

use generated::printed::{self, printed};
use manifest::MANIFEST;

/// Returns this repository. With `UPDATE=1` it first writes everything that
/// this machine can generate.
pub fn repository() -> Tree {
    static UPDATE: Once = Once::new();
    UPDATE.call_once(|| {
        if updates() {
            generated::write(MANIFEST.computed(&Tree::of_this_repository()));
            for (needs, _) in Needs::ALL {
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

/// Returns every error that can be found without running a program.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    guards::faults(tree, &MANIFEST)
}

/// Returns the diffs, formulas, boxes and figures that are out of date.
pub fn stale(tree: &Tree) -> Vec<Fault> {
    generated::compare(tree, MANIFEST.computed(tree))
}

/// Returns the outputs with these needs that are out of date.
pub fn stale_outputs(tree: &Tree, needs: Needs, tier: Tier) -> Vec<Fault> {
    generated::compare(tree, MANIFEST.accepted(tree, printed(needs, tier)))
}

/// Returns the measured listings whose words differ from their programs'
/// output.
pub fn stale_measurements(tree: &Tree, tier: Tier) -> Vec<Fault> {
    measured::outdated(tree, &MANIFEST, tier)
}

/// Returns the examples that fail without arguments, among those that no
/// listing runs in this way.
pub fn failing(tree: &Tree, tier: Tier) -> Vec<Fault> {
    generated::bare::failing(tree, &MANIFEST, tier)
}

/// Returns what this machine lacks for the outputs with these needs.
pub fn missing(needs: Needs) -> Option<&'static str> {
    printed::missing(needs)
}
