//! Generates the content of the book: outputs of programs, differences between
//! listings, formulas, figures.

pub(crate) mod bare;
pub(crate) mod bench;
pub(crate) mod climb;
pub(crate) mod exercise;
mod first_try;
mod frames;
pub(crate) mod growth;
pub(crate) mod measured;
pub(crate) mod methods;
pub(crate) mod near;
pub(crate) mod predict;
pub(crate) mod printed;
pub(crate) mod program;
pub(crate) mod questions;
pub(crate) mod rest;
mod teaching;
pub(crate) mod tier;

use std::collections::BTreeSet;
use std::fs;

use learn::anchor::region;
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};
use similar::{ChangeTag, TextDiff};

use crate::manifest::Manifest;
use crate::tree::{Fault, Tree, fault};

use near::near;

/// If two regions share less than this fraction of the shorter one, a diff is
/// harder to read than the two regions side by side.
const MIN_COMMON: f32 = 0.5;

impl Manifest {
    /// Returns whether an excerpt shows this region.
    pub(crate) fn uses(&self, file: &str, anchor: &str) -> bool {
        let place = format!("{file}:{anchor}");
        self.excerpts.iter().any(|excerpt| excerpt.regions.contains(&place))
    }

    /// Returns the files in `book/listings` that nothing generates. `cargo
    /// xtask verify` generates the verdicts.
    pub(crate) fn orphans(&self, tree: &Tree) -> Vec<Fault> {
        let computed = self.computed(tree).into_iter().map(|(file, _)| file);
        let outputs = self.outputs.iter().map(|output| output.out.clone());
        let measured = self.measured.iter().map(|it| it.out.clone());
        let known: BTreeSet<String> =
            computed.chain(outputs).chain(measured).collect();
        let orphans = tree
            .list("book/listings/", "")
            .filter(|(file, _)| !file.starts_with("book/listings/verdict_"))
            .filter(|(file, _)| !known.contains(*file));
        let what = "nothing generates this listing. Add it to \
                    crates/bookgen/manifest.toml or remove it.";
        orphans.map(|(file, _)| fault(file, 1, what)).collect()
    }

    /// Computes everything that does not require running a program.
    pub(crate) fn computed(&self, tree: &Tree) -> Vec<Wanted> {
        let excerpts = self.excerpts.iter().map(|excerpt| {
            let text = match &excerpt.regions[..] {
                [old, new] => diff(tree, old, new),
                regions => inner(tree, &regions[0]),
            };
            (excerpt.out.clone(), text)
        });
        let growths = self.growths.iter();
        let growths =
            growths.map(|it| (it.out.clone(), growth::diff(tree, it)));
        let formulas = tree.list("book/math/", ".tex").map(|(file, tex)| {
            let file = file.replace("book/math/", "book/listings/");
            (file.replace(".tex", ".mml"), formula(tex))
        });
        let figures = self.figures.iter().map(|(name, draw)| {
            (format!("book/figures/{name}.svg"), Ok(draw()))
        });
        excerpts
            .chain(growths)
            .chain(formulas)
            .chain(figures)
            .chain(exercise::boxes(tree))
            .chain(predict::blocks(tree))
            .chain(questions::blocks(tree))
            .chain(climb::tables(tree))
            .chain(first_try::blocks(tree, self))
            .chain(rest::blocks(tree, self))
            .chain(bench::tables(tree, self))
            .chain(methods::tables(tree, self))
            .chain(teaching::tables(tree))
            .collect()
    }

    /// Drops outputs that are close enough to the book: results of training,
    /// and backtraces that lack a caller.
    pub(crate) fn accepted(
        &self,
        tree: &Tree,
        mut wanted: Vec<Wanted>,
    ) -> Vec<Wanted> {
        wanted.retain(|(file, text)| {
            let name = file.strip_prefix("book/").unwrap_or(file);
            let is_like = if self.trained.iter().any(|it| it == name) {
                near
            } else if frames::STACKS.contains(&name) {
                frames::alike
            } else {
                return true;
            };
            let found = tree.get(file).unwrap_or_default();
            !text.as_ref().is_ok_and(|text| is_like(found, text))
        });
        wanted
    }
}

/// A generated file with its required text, or an error.
pub(crate) type Wanted = (String, Result<String, String>);

/// Writes what could be computed; the tests report the rest.
pub(crate) fn write(wanted: Vec<Wanted>) {
    for (file, text) in wanted {
        let path = Tree::root().join(file);
        let folder = path.parent().expect("a folder of the book");
        if let Ok(text) = text {
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .expect("a file of the book can be written");
        }
    }
}

/// Returns an error for each file whose text is not the required one.
pub(crate) fn compare(tree: &Tree, wanted: Vec<Wanted>) -> Vec<Fault> {
    let differs = |(file, wanted): Wanted| match wanted {
        Ok(text) => stale(tree, &file, &text),
        Err(what) => Some(fault(&file, 1, what)),
    };
    wanted.into_iter().filter_map(differs).collect()
}

pub(crate) fn stale(tree: &Tree, file: &str, wanted: &str) -> Option<Fault> {
    let found = tree.get(file).unwrap_or_default();
    let line = found.lines().zip(wanted.lines()).take_while(|(a, b)| a == b);
    let line = line.count();
    (found != wanted).then(|| {
        fault(
            file,
            line + 1,
            format!(
                "this is not what is computed now: `{}`. Run UPDATE=1 cargo \
                 test -p bookgen and read the change.",
                wanted.lines().nth(line).unwrap_or("the end of the file")
            ),
        )
    })
}

/// Returns the region `file:anchor`.
fn read(tree: &Tree, place: &str) -> Result<String, String> {
    let (file, anchor) = place.split_once(':').unwrap_or((place, ""));
    let text = tree.get(file).ok_or(format!("`{file}` does not exist."))?;
    region(text, anchor).ok_or(format!("`{file}` has no anchor `{anchor}`."))
}

/// Returns a region without its common indentation.
fn inner(tree: &Tree, of: &str) -> Result<String, String> {
    let text = read(tree, of)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let least = lines.map(indent).min().unwrap_or(0);
    Ok(text
        .lines()
        .map(|line| format!("{}\n", line.get(least..).unwrap_or("")))
        .collect())
}

/// Returns the difference between two regions, with all of their lines.
fn diff(tree: &Tree, old: &str, new: &str) -> Result<String, String> {
    let (old_text, new_text) = (inner(tree, old)?, inner(tree, new)?);
    let diff = TextDiff::from_lines(&old_text, &new_text);
    let same = diff.iter_all_changes().filter(|c| c.tag() == ChangeTag::Equal);
    let shorter = old_text.lines().count().min(new_text.lines().count());
    let kept = same.count() as f32 / shorter as f32;
    if kept < MIN_COMMON {
        return Err(format!(
            "{old} and {new} share only {:.0} % of their lines. Show them in \
             two panes, <div class=\"panes\">.",
            100.0 * kept
        ));
    }
    Ok(diff
        .iter_all_changes()
        .map(|change| {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            format!("{sign}{}\n", change.value().trim_end_matches('\n'))
        })
        .collect())
}

/// Returns a formula as MathML. The `<div>` makes it an HTML block for mdBook,
/// which would otherwise find emphasis in it.
fn formula(tex: &str) -> Result<String, String> {
    let storage = Storage::new();
    let parser = Parser::new(tex.trim(), &storage);
    let config = RenderConfig {
        display_mode: DisplayMode::Block,
        annotation: None,
        ..Default::default()
    };
    let mut mathml = String::new();
    push_mathml(&mut mathml, parser, config)
        .map_err(|error| format!("not a formula: {error}"))?;
    if mathml.contains("<merror") {
        return Err("this formula does not parse. Correct it.".into());
    }
    Ok(format!("<div class=\"math\">\n{mathml}\n</div>\n"))
}
