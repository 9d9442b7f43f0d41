//! Checks that code, outputs, diffs and formulas are included instead of
//! typed, so that a page shows only what was compiled, run or computed.

use learn::anchor::region;

use crate::anchor::is_source;
use crate::generated::bench;
use crate::generated::measured::WRITTEN;
use crate::manifest::Manifest;
use crate::page::{Fence, Include, Page};
use crate::tree::{Fault, Tree, ending, fault, is_the_learners};

/// The book's column is 80 characters of code wide.
const WIDEST_LINE: usize = 80;
/// The width of listings that scroll: a table of `cargo learn bench`, or text
/// written by a network, which cannot be wrapped.
const WIDEST_TABLE: usize = 140;
/// The width of the tables of an experiment.
const WIDEST_EXPERIMENT: usize = 100;

/// The language of the fence for each file ending.
const LANGUAGES: [(&str, &str); 6] = [
    ("rs", "rust,ignore"),
    ("cl", "c"),
    ("py", "python"),
    ("diff", "diff"),
    ("out", "console"),
    ("toml", "toml"),
];

/// The shell commands that may be typed into a page, in an `sh` fence,
/// possibly after variables.
const COMMANDS: [&str; 9] =
    ["cargo", "rustup", "git", "cd", "cp", "sudo", "apt-get", "brew", "conda"];

pub(crate) fn check(
    tree: &Tree,
    page: &Page,
    manifest: &Manifest,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let fences = page.fences();
    for fence in fences.iter().filter(|f| page.is_typed(f.range.start)) {
        match fence.language.as_deref() {
            Some("sh") => faults.extend(commands(tree, page, fence)),
            _ => faults.extend(one_include(page, fence)),
        }
    }
    for (at, line, include) in page.includes() {
        let fence = fences.iter().find(|f| f.range.contains(&at));
        let mut say = |what: String| faults.push(page.fault(at, what));
        if include.kind != "include" {
            say(format!(
                "`{}` hides what it does. Use `include` with an anchor.",
                include.kind
            ));
        } else if line.starts_with(char::is_whitespace) {
            say("an indented include leaves its block in mdBook. Start it \
                 at the first column."
                .into());
        } else if let Err(what) = target(tree, &include) {
            say(what);
        } else if let Some(fence) = fence {
            if let Err(what) = shown_as(page, fence, &include, manifest) {
                say(what);
            }
        } else if !matches!(ending(&include.file), "svg" | "mml" | "md") {
            say(format!(
                "`{}` is included as prose. Put a fence around it.",
                include.file
            ));
        }
    }
    faults
}

fn one_include(page: &Page, fence: &Fence) -> Option<Fault> {
    let Some(language) = &fence.language else {
        return Some(page.fault(
            fence.range.start,
            "an indented code block is typed code. Include a region of a \
             compiled file in a fence.",
        ));
    };
    let body = fence.body.trim_end();
    let is_include = body.starts_with("{{#")
        && body.ends_with("}}")
        && body.lines().count() == 1;
    (!is_include).then(|| {
        page.fault(
            fence.range.start,
            format!(
                "a `{language}` fence holds something else than one include. \
                 Include the region of a compiled or generated file; only \
                 shell commands (`sh`) are typed."
            ),
        )
    })
}

fn commands(tree: &Tree, page: &Page, fence: &Fence) -> Vec<Fault> {
    let mut faults = Vec::new();
    for line in fence.body.lines() {
        let mut words = line.split(' ').skip_while(|word| word.contains('='));
        let command = words.next().unwrap_or_default();
        if !(COMMANDS.contains(&command) || line.starts_with("$env:")) {
            faults.push(page.fault(
                fence.range.start,
                format!(
                    "`{line}` is not a command for a shell. Put output into \
                     a generated listing."
                ),
            ));
        }
        if let Some((_, rest)) = line.split_once("--example ") {
            let name = rest.split_whitespace().next().unwrap_or_default();
            let places = [
                format!("examples/{name}.rs"),
                format!("examples/{name}/main.rs"),
                format!("crates/cluster/examples/{name}.rs"),
                format!("crates/cluster/examples/{name}/main.rs"),
            ];
            if places.iter().all(|place| tree.get(place).is_none()) {
                faults.push(page.fault(
                    fence.range.start,
                    format!(
                        "there is no example `{name}`. Name a file of \
                         examples/."
                    ),
                ));
            }
        }
    }
    faults
}

/// Checks that the included file and region exist and fit the page.
fn target(tree: &Tree, include: &Include) -> Result<(), String> {
    let Include { file, anchor, .. } = include;
    if is_the_learners(file) {
        return Err(format!(
            "`{file}` belongs to the learner, who may write anything into \
             it. Include the solution's file."
        ));
    }
    let text = tree.get(file).ok_or(format!(
        "`{file}` does not exist, and mdBook would print the directive. \
         Correct the path, or run UPDATE=1 cargo test -p bookgen if the \
         file is generated."
    ))?;
    let shown = match anchor {
        None if is_source(file) => Err(format!(
            "`{file}` is included whole. Name an anchored region of it."
        )),
        None => Ok(text.to_string()),
        Some(name) => region(text, name).ok_or(format!(
            "`{file}` has no anchor `{name}`, and mdBook would show an \
             empty block. Add `ANCHOR: {name}` or correct the name."
        )),
    }?;
    if shown.trim().is_empty() {
        return Err(format!("`{file}` shows nothing here. Fill the region."));
    }
    // The sign of a diff takes a column. Pictures and formulas scale.
    let widest = match ending(file) {
        "svg" | "mml" | "md" => return Ok(()),
        "diff" => WIDEST_LINE + 1,
        "out" if text.starts_with("$ cargo learn bench") => WIDEST_TABLE,
        "out" if text.contains(WRITTEN) => WIDEST_TABLE,
        "out" if text.starts_with("$ python3 benches/peers/experiments") => {
            WIDEST_EXPERIMENT
        }
        _ => WIDEST_LINE,
    };
    if shown.lines().any(|line| line.chars().count() > widest) {
        return Err(format!(
            "a line of this region of `{file}` is wider than {widest} \
             characters. Break it there."
        ));
    }
    if is_source(file) && shown.starts_with(char::is_whitespace) {
        return Err(format!(
            "this region of `{file}` does not start at the first column, \
             and mdBook cannot move it there. Anchor a whole item."
        ));
    }
    Ok(())
}

/// Checks the language of the fence, and the file name above it.
fn shown_as(
    page: &Page,
    fence: &Fence,
    include: &Include,
    manifest: &Manifest,
) -> Result<(), String> {
    let file = &include.file;
    let language = LANGUAGES
        .iter()
        .find(|(of, _)| *of == ending(file))
        .map(|(_, language)| *language)
        .ok_or(format!("`{file}` has no place in a fence."))?;
    if fence.language.as_deref() != Some(language) {
        return Err(format!(
            "`{file}` stands in a fence of another language. Write \
             ```{language}."
        ));
    }
    let excerpt = manifest.excerpts.iter().find(|it| it.out == *file);
    let name = match excerpt {
        _ if is_source(file) => file.clone(),
        Some(excerpt) => {
            let files = excerpt.regions.iter().map(|it| file_of(it));
            files.collect::<Vec<_>>().join(" → ")
        }
        None => return Ok(()),
    };
    let tab = format!("<p class=\"file\">{name}</p>");
    let above = page.text[..fence.range.start].trim_end().lines().next_back();
    match above {
        Some(above) if above == tab => Ok(()),
        _ => Err(format!(
            "the name above this listing is not that of the file. Write \
             {tab} and an empty line above the fence."
        )),
    }
}

fn file_of(place: &str) -> &str {
    place.rsplit_once(':').map_or(place, |(file, _)| file)
}

/// Checks that every generated listing and every figure is on a page. A figure
/// must be on only one, because the print page contains all of them, and their
/// ids must be unique there.
pub(crate) fn shown(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let included: Vec<String> = pages
        .iter()
        .flat_map(|page| page.includes())
        .map(|(_, _, include)| include.file)
        .collect();
    let listings = tree.list("book/listings/", "");
    let figures = tree.list("book/figures/", "");
    let misplaced = |(file, _): (&str, &str)| {
        // Included Markdown is already a part of its page.
        let holding = pages.iter().filter(|page| page.holds(file)).count();
        let table = bench::table_of(file);
        let is_table =
            |page: &Page| table.as_ref().is_some_and(|table| page.holds(table));
        let what = match included.iter().filter(|it| *it == file).count() {
            0 if holding == 0 && !pages.iter().any(is_table) => {
                "no page shows this file. Include it in a chapter or remove it."
            }
            2.. if ending(file) == "svg" => {
                "two places show this figure, and their ids are not unique on \
                 the print page. Link to the first place from the second."
            }
            _ => return None,
        };
        Some(fault(file, 1, what))
    };
    listings.chain(figures).filter_map(misplaced).collect()
}
