//! The guards of the book. mdBook shows a missing anchor as an empty block
//! and a missing file as text, and exits 0; nothing of that kind, and no
//! listing, output, diff or formula that is out of date, gets past this file.
//!
//! The checks are functions of a [`Tree`](tree::Tree), the repository as
//! data. Each is proved in `planted.rs`: a small book that passes, one fault
//! planted, and the sentence that reports it.
//!
//! `UPDATE=1 cargo test --test book` writes what is generated.

// Everything in a test is its own.
#![allow(unreachable_pub)]

#[path = "book/anchor.rs"]
mod anchor;
#[path = "book/chapter.rs"]
mod chapter;
#[path = "book/contrast.rs"]
mod contrast;
#[path = "book/figure.rs"]
mod figure;
#[path = "book/figures.rs"]
mod figures;
#[path = "book/generated.rs"]
mod generated;
#[path = "book/links.rs"]
mod links;
#[path = "book/listings.rs"]
mod listings;
#[path = "book/page.rs"]
mod page;
#[path = "book/planted.rs"]
mod planted;
#[path = "book/program.rs"]
mod program;
#[path = "book/tree.rs"]
mod tree;

use generated::{MANIFEST, Manifest, settle};
use page::Page;
use tree::{Fault, Tree};

/// All that can be read off the files, without running a program.
fn faults(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    let pages = Page::all(tree);
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(listings::check(tree, page, manifest));
        faults.extend(figure::placed(page));
        faults.extend(chapter::check(page));
        faults.extend(chapter::sentences(page));
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
    faults.extend(listings::unused(tree, &pages));
    faults.extend(manifest.orphans(tree));
    faults.extend(links::contents(tree, &pages));
    faults.extend(links::check(tree, &pages));
    faults.extend(links::offline(tree));
    faults.extend(chapter::terms(&pages));
    faults.extend(contrast::check(tree));
    faults.sort();
    faults
}

#[track_caller]
fn assert_none(faults: &[Fault]) {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(faults.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn the_book_has_no_fault() {
    assert_none(&faults(&Tree::of_this_repository(), &MANIFEST));
}

#[test]
fn diffs_formulas_and_drawn_figures_are_current() {
    let tree = Tree::of_this_repository();
    let faults: Vec<Fault> = MANIFEST
        .computed(&tree)
        .into_iter()
        .filter_map(|(file, wanted)| settle(&tree, &file, wanted))
        .collect();
    assert_none(&faults);
}

#[test]
fn outputs_of_examples_are_current() {
    let tree = Tree::of_this_repository();
    let examples = program::examples().expect("the examples build");
    let faults: Vec<Fault> = MANIFEST
        .outputs
        .iter()
        .filter_map(|output| {
            let wanted = program::listing(&examples, output, &[]);
            settle(&tree, output.out, wanted)
        })
        .collect();
    assert_none(&faults);
}
