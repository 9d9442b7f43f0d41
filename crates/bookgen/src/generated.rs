//! What the book shows and nobody types: outputs of programs, differences
//! between listings, formulas, drawn figures. `UPDATE=1 cargo test -p
//! bookgen` writes these files; without it the tests compare.

pub(crate) mod bare;
pub(crate) mod climb;
pub(crate) mod exercise;
mod frames;
pub(crate) mod growth;
pub(crate) mod measured;
pub(crate) mod near;
pub(crate) mod predict;
pub(crate) mod printed;
pub(crate) mod program;
pub(crate) mod tier;

use std::fs;

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};
use similar::{ChangeTag, TextDiff};

use crate::anchor::region;
use crate::manifest::{Manifest, Output};
use crate::tree::{Fault, Tree, fault};

use near::near;

/// When the longer side keeps less than this share of the shorter one, a diff
/// is harder to read than two panes.
const LEAST_IN_COMMON: f32 = 0.5;

impl Manifest {
    /// What all commands print.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Output> {
        let named = self.part1.iter().chain(self.training);
        named.chain(self.transformers).chain(self.outputs)
    }

    /// Whether a diff compares this region.
    pub(crate) fn uses(&self, file: &str, anchor: &str) -> bool {
        let place = format!("{file}:{anchor}");
        self.inners.iter().any(|inner| inner.of == place)
            || self.diffs.iter().any(|d| d.old == place || d.new == place)
    }

    /// Files in `book/listings` that nothing makes any more.
    pub(crate) fn orphans(&self, tree: &Tree) -> Vec<Fault> {
        let formulas =
            tree.list("book/math/", ".tex").map(|(tex, _)| mml_of(tex));
        let outputs = self.outputs().map(|o| o.out.to_string());
        let measured = self.measured.iter().map(|m| m.out.to_string());
        let inners = self.inners.iter().map(|i| i.out.to_string());
        let diffs = self.diffs.iter().map(|d| d.out.to_string());
        let boxes = exercise::boxes(tree).into_iter().map(|(file, _)| file);
        let asked = predict::blocks(tree).into_iter().map(|(file, _)| file);
        let growths = self.growths.iter().map(|g| g.out.to_string());
        let climbed = climb::tables(tree).into_iter().map(|(file, _)| file);
        let known: Vec<_> = formulas
            .chain(outputs)
            .chain(measured)
            .chain(inners)
            .chain(diffs)
            .chain(growths)
            .chain(boxes)
            .chain(asked)
            .chain(climbed)
            .collect();
        tree.list("book/listings/", "")
            .filter(|(file, _)| !known.iter().any(|known| known == file))
            .map(|(file, _)| {
                fault(
                    file,
                    1,
                    "nothing generates this listing. Add it to MANIFEST in \
                     crates/bookgen/src/manifest.rs or remove it.",
                )
            })
            .collect()
    }

    /// What can be computed without running a program.
    pub(crate) fn computed(&self, tree: &Tree) -> Vec<Wanted> {
        let inners =
            self.inners.iter().map(|i| (i.out.to_string(), inner(tree, i.of)));
        let diffs = self
            .diffs
            .iter()
            .map(|d| (d.out.to_string(), diff(tree, d.old, d.new)));
        let growths = self
            .growths
            .iter()
            .map(|g| (g.out.to_string(), growth::diff(tree, g)));
        let formulas = tree
            .list("book/math/", ".tex")
            .map(|(file, tex)| (mml_of(file), formula(tex)));
        let figures =
            self.figures.iter().map(|f| (f.out.to_string(), Ok((f.draw)())));
        inners
            .chain(diffs)
            .chain(growths)
            .chain(formulas)
            .chain(figures)
            .chain(exercise::boxes(tree))
            .chain(predict::blocks(tree))
            .chain(climb::tables(tree))
            .collect()
    }
}

/// A generated file beside what it must be.
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

impl Manifest {
    /// What was printed or drawn, except for the results of training that
    /// are near enough to those of the book, and stacks that lack a caller.
    pub(crate) fn accepted(
        &self,
        tree: &Tree,
        wanted: Vec<Wanted>,
    ) -> Vec<Wanted> {
        let is_near = |(file, text): &Wanted| {
            let file = file.as_str();
            let is_like = match self.trained.contains(&file) {
                true => near,
                false if frames::STACKS.contains(&file) => frames::alike,
                false => return false,
            };
            tree.get(file).is_some_and(|found| {
                text.as_ref().is_ok_and(|text| is_like(found, text))
            })
        };
        wanted.into_iter().filter(|wanted| !is_near(wanted)).collect()
    }
}

/// The files that are not what they must be.
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

/// The region at `file:anchor`.
fn read(tree: &Tree, place: &str) -> Result<String, String> {
    let (file, anchor) = place.split_once(':').unwrap_or((place, ""));
    let text = tree.get(file).ok_or(format!("`{file}` does not exist."))?;
    region(text, anchor).ok_or(format!("`{file}` has no anchor `{anchor}`."))
}

/// A region from the first column on.
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

/// Both regions in one listing, unchanged lines with a space before them.
fn diff(tree: &Tree, old: &str, new: &str) -> Result<String, String> {
    let (old_text, new_text) = (inner(tree, old)?, inner(tree, new)?);
    let diff = TextDiff::from_lines(&old_text, &new_text);
    let same = diff.iter_all_changes().filter(|c| c.tag() == ChangeTag::Equal);
    let shorter = old_text.lines().count().min(new_text.lines().count());
    let kept = same.count() as f32 / shorter as f32;
    if kept < LEAST_IN_COMMON {
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

fn mml_of(tex: &str) -> String {
    tex.replace("book/math/", "book/listings/").replace(".tex", ".mml")
}

/// A formula as MathML. The `<div>` makes it a block of HTML for mdBook,
/// which would read emphasis into bare MathML.
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
