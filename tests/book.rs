//! The guards of the book. mdBook shows a missing anchor as an empty block
//! and a missing file as text, and exits 0; nothing of that kind, and no
//! listing, output, diff or formula that is out of date, gets past this file.
//!
//! The checks are functions of a [`Tree`](tree::Tree), the repository as
//! data. Each is proved in `planted.rs`: a small book that passes, one fault
//! planted, and the sentence that reports it.
//!
//! `UPDATE=1 cargo test --test book` writes what is generated; with
//! `ONLY=part3` beside it, only the outputs whose names contain that word are
//! printed again.

// Everything in a test is its own.
#![allow(unreachable_pub)]

#[path = "book/anchor.rs"]
mod anchor;
#[path = "book/blank.rs"]
mod blank;
#[path = "book/chapter.rs"]
mod chapter;
#[path = "book/contrast.rs"]
mod contrast;
#[path = "common/device.rs"]
mod device;
#[path = "book/exercise.rs"]
mod exercise;
#[path = "book/figure.rs"]
mod figure;
#[path = "book/figures.rs"]
mod figures;
#[path = "book/generated.rs"]
mod generated;
#[path = "book/growth.rs"]
mod growth;
#[path = "book/kind.rs"]
mod kind;
#[path = "book/links.rs"]
mod links;
#[path = "book/listings.rs"]
mod listings;
#[path = "book/manifest.rs"]
mod manifest;
#[path = "book/measured.rs"]
mod measured;
#[path = "book/near.rs"]
mod near;
#[path = "book/page.rs"]
mod page;
#[path = "book/part1.rs"]
mod part1;
#[path = "common/place.rs"]
mod place;
#[path = "book/planted.rs"]
mod planted;
#[path = "book/program.rs"]
mod program;
#[path = "book/terms.rs"]
mod terms;
#[path = "book/tree.rs"]
mod tree;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Once;
use std::{env, fs};

use rungrad::opencl::{DeviceInfo, devices};

use generated::Wanted;
use manifest::Needs::{self, Device, Nothing, Oclgrind, Pocl};
use manifest::{MANIFEST, Manifest, Output};
use page::Page;
use tree::{Fault, Tree};

/// All that can be read off the files, without running a program.
fn faults(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    let pages = Page::all(tree);
    let mut faults = Vec::new();
    for page in &pages {
        faults.extend(listings::check(tree, page, manifest));
        faults.extend(figure::placed(page));
        let exercise = exercise::is_of(tree, &page.path);
        faults.extend(chapter::check(page, exercise));
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
    faults.extend(listings::shown(tree, &pages));
    faults.extend(manifest.orphans(tree));
    faults.extend(growth::check(tree, manifest));
    faults.extend(measured::check(tree, &pages, manifest));
    faults.extend(links::contents(tree, &pages));
    faults.extend(links::check(tree, &pages));
    faults.extend(links::offline(tree));
    faults.extend(terms::check(&pages));
    faults.extend(exercise::check(tree, &pages));
    faults.extend(contrast::check(tree));
    faults.sort();
    faults
}

#[track_caller]
fn assert_none(faults: &[Fault]) {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(faults.is_empty(), "\n{}\n", lines.join("\n"));
}

/// This repository, after `UPDATE=1` has written what is generated. What a
/// device prints is written where there is one.
fn repository() -> Tree {
    static UPDATE: Once = Once::new();
    UPDATE.call_once(|| {
        if updates() {
            generated::write(MANIFEST.computed(&Tree::of_this_repository()));
            for needs in [Nothing, Device, Pocl, Oclgrind] {
                if missing(needs).is_none() {
                    generated::write(printed(needs));
                }
            }
        }
    });
    Tree::of_this_repository()
}

fn updates() -> bool {
    env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// Whether this output is to be printed: an author who writes a page asks for
/// its own outputs only.
fn asked_for(out: &str) -> bool {
    let only = env::var("ONLY").ok().filter(|_| updates());
    only.is_none_or(|word| out.contains(&word))
}

/// What this machine lacks to print as the book does.
fn missing(needs: Needs) -> Option<&'static str> {
    let first = || devices().ok()?.first();
    let version = || {
        let asked = Command::new("oclgrind").arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&asked.stdout).contains("21.10"))
    };
    match needs {
        Nothing => None,
        Device => first().is_none().then_some("no OpenCL device"),
        Pocl => {
            let is_pocl = |device: &DeviceInfo| {
                device.platform.contains("Portable Computing")
            };
            (!first().is_some_and(is_pocl)).then_some("no PoCL")
        }
        Oclgrind => (version() != Some(true)).then_some("no Oclgrind 21.10"),
    }
}

/// What the commands print that have these needs, and, without any, what they
/// have drawn.
fn printed(needs: Needs) -> Vec<Wanted> {
    let examples = program::examples().expect("the examples build");
    let devices = devices().unwrap_or_default();
    let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
    let outputs = MANIFEST.outputs().filter(|o| o.needs == needs);
    let outputs = outputs.filter(|output| asked_for(output.out));
    let mut printed: Vec<Wanted> = outputs
        .map(|output| {
            let text = program::listing(&examples, output, &names);
            (output.out.to_string(), text)
        })
        .collect();
    if needs == Nothing {
        let pictures = MANIFEST.pictures.iter();
        let pictures = pictures.filter(|picture| asked_for(picture.out));
        printed.extend(pictures.map(|picture| {
            let text = fs::read_to_string(Tree::root().join(picture.written))
                .map_err(|_| format!("no example writes {}.", picture.written));
            (picture.out.to_string(), text)
        }));
    }
    printed
}

#[test]
fn the_book_has_no_fault() {
    assert_none(&faults(&repository(), &MANIFEST));
}

#[test]
fn diffs_formulas_and_drawn_figures_are_current() {
    let tree = repository();
    assert_none(&generated::compare(&tree, MANIFEST.computed(&tree)));
}

#[test]
fn outputs_are_current() {
    current(Nothing);
}

#[test]
fn outputs_of_devices_are_current() {
    if device::gpu_or_skip().is_some() {
        current(Device);
    }
}

#[test]
fn outputs_of_pocl_are_current() {
    current_or_skip(Pocl);
}

#[test]
fn outputs_of_oclgrind_are_current() {
    current_or_skip(Oclgrind);
}

/// No run repeats a time, so only the words are compared.
#[test]
fn what_was_measured_has_the_words_of_its_program() {
    if device::gpu_or_skip().is_none() {
        return;
    }
    let (tree, examples) = (repository(), program::examples());
    let examples = examples.expect("the examples build");
    let (mut faults, mut texts) = (Vec::new(), BTreeMap::new());
    for measured in MANIFEST.measured {
        let (out, command) = (measured.out, measured.command);
        let rehearsal = measured.rehearsal;
        let found = tree.get(out).unwrap_or_default();
        if let Some(script) = measured::script(rehearsal) {
            let script = Tree::root().join(script);
            let script = fs::read_to_string(script).unwrap_or_default();
            if let Some(word) = measured::foreign(found, &script) {
                let what = format!(
                    "the script of this listing does not have the word \
                     `{word}`. Measure it again with `{command}`."
                );
                faults.push(tree::fault(out, 1, what));
            }
            continue;
        }
        // One rehearsal serves all that were measured so.
        let text = texts.entry(rehearsal).or_insert_with(|| {
            let command = rehearsal;
            let output = Output { out, command, code: 0, needs: Device };
            program::listing(&examples, &output, &[])
        });
        let unlike = text.clone().map(|text| {
            let [from, to] = [rehearsal, command].map(program::broken);
            measured::unlike(found, &text.replacen(&from, &to, 1))
        });
        if let Some(line) = unlike.unwrap_or_else(Some) {
            let what = format!(
                "the program and this listing differ in `{line}`. Measure it \
                 again with `{command}`."
            );
            faults.push(tree::fault(out, 1, what));
        }
    }
    assert_none(&faults);
}

/// A listing that only some machines print is compared on those.
#[track_caller]
fn current_or_skip(needs: Needs) {
    match missing(needs) {
        Some(what) => device::skip(what, "this output is that of one tool"),
        None => current(needs),
    }
}

#[track_caller]
fn current(needs: Needs) {
    let tree = repository();
    let printed = MANIFEST.settled(&tree, printed(needs));
    assert_none(&generated::compare(&tree, printed));
}
