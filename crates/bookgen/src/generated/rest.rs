//! The code of the three parts that no page quotes, as one folded block for
//! each file, so that a reader can see every line in the book.
//!
//! A file belongs to the first page that quotes it; `[rest]` in `manifest.toml`
//! places the others. The blocks of a page are `book/listings/rest_PAGE.md`.

use std::collections::BTreeMap;

use crate::anchor::{is_mark, quoted};
use crate::generated::Wanted;
use crate::manifest::Manifest;
use crate::page::Page;
use crate::tree::{Fault, Tree, ending, fault};

/// The folders whose code the book shows whole.
const ROOMS: [&str; 5] = [
    "src/part1_cpu/",
    "src/part2_gpu/",
    "src/part3_unified/",
    "kernels/part2/",
    "kernels/part3/",
];

const NOT_INCLUDED: &str = "this page must show the rest of its files. Include this listing before \
     the last heading: {{#include ../listings/";

/// A source file with the names of its regions that pages quote, and the page
/// that shows the rest.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    anchors: Vec<String>,
    page: Option<String>,
}

/// Lists the sources in the order of the folders.
fn sources<'a>(tree: &'a Tree, manifest: &Manifest) -> Vec<Source<'a>> {
    let pages = Page::in_order(tree);
    let is_source =
        |path: &str| matches!(ending(path), "rs" | "cl") && !is_test(path);
    let all = ROOMS.iter().flat_map(|room| tree.list(room, ""));
    all.filter(|(path, _)| is_source(path))
        .map(|(path, text)| {
            let mut anchors = manifest.regions(path);
            let mut page = manifest.page_of(path);
            for quoting in &pages {
                for (_, _, include) in quoting.includes() {
                    if include.file != path {
                        continue;
                    }
                    page.get_or_insert(quoting.name().to_string());
                    anchors.extend(include.anchor);
                }
            }
            Source { path, text, anchors, page }
        })
        .collect()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
}

/// The lines of a file without its unit tests, which begin at the first
/// `#[cfg(test)]` in the first column.
fn lesson(text: &str) -> impl Iterator<Item = &str> {
    let mut comments = 0;
    let is_test = move |line: &&str| *line == "#[cfg(test)]";
    let count = text.lines().take_while(|line| !is_test(line)).count();
    let before = text.lines().take(count);
    if count < text.lines().count() {
        let backwards: Vec<&str> = before.clone().collect();
        let doc = |line: &&&str| line.starts_with("//");
        comments = backwards.iter().rev().take_while(doc).count();
    }
    text.lines().take(count - comments)
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//") && !is_mark(line)
}

/// The blocks of each page.
pub(crate) fn blocks(tree: &Tree, manifest: &Manifest) -> Vec<Wanted> {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for source in sources(tree, manifest) {
        let (Some(page), Some(rest)) = (&source.page, rest(&source)) else {
            continue;
        };
        let language = match ending(source.path) {
            "rs" => "rust,ignore",
            _ => "c",
        };
        *pages.entry(page.clone()).or_default() += &format!(
            "<details class=\"rest\">\n<summary>The rest of \
             <code>{}</code></summary>\n\n```{language}\n{rest}```\n\n\
             </details>\n\n",
            source.path
        );
    }
    pages.into_iter().map(|(page, text)| (listing(&page), Ok(text))).collect()
}

fn listing(page: &str) -> String {
    format!("book/listings/rest_{page}.md")
}

/// The lines that no page quotes, with a comment in place of each region that
/// one does, or `None` if pages quote every line of code.
fn rest(source: &Source) -> Option<String> {
    let mut rest = String::new();
    let mut has_code = false;
    let mut open: Option<&str> = None;
    let regions = quoted(source.text, &source.anchors);
    for (line, region) in lesson(source.text).zip(regions) {
        if is_mark(line) {
            continue;
        }
        if let Some(name) = region {
            if region != open {
                let indent = line.len() - line.trim_start().len();
                rest += &format!("{:indent$}// ... {}\n", "", name);
            }
        } else {
            has_code |= is_code(line);
            // One blank line between two regions is enough.
            if !line.is_empty() || !rest.ends_with("\n\n") {
                rest += line;
                rest.push('\n');
            }
        }
        open = region;
    }
    has_code.then(|| format!("{}\n", rest.trim_matches('\n')))
}

/// Finds files that no page shows, pages that leave out their listing, and
/// lines of code that are on no page.
pub(crate) fn check(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    let mut faults = Vec::new();
    let pages = Page::in_order(tree);
    for source in sources(tree, manifest) {
        let Some(page) = &source.page else {
            let what = "no page quotes this file. Name its page in `[rest]` \
                        in crates/bookgen/manifest.toml.";
            faults.push(fault(source.path, 1, what));
            continue;
        };
        let listing = listing(page);
        let shows = pages.iter().any(|it| it.holds(&listing));
        if rest(&source).is_some() && !shows {
            let name = listing.trim_start_matches("book/listings/");
            let what = format!("{NOT_INCLUDED}{name}}}}}");
            faults.push(fault(&format!("book/src/{page}.md"), 1, what));
        }
        let hidden = hidden(&source, tree.get(&listing).unwrap_or_default());
        if hidden > 0 {
            let what = format!(
                "{hidden} lines of code of this file are on no page. Run \
                 UPDATE=1 cargo test -p bookgen."
            );
            faults.push(fault(source.path, 1, what));
        }
    }
    faults
}

/// Counts the lines of code that neither a region nor the listing shows.
fn hidden(source: &Source, listing: &str) -> usize {
    let regions = quoted(source.text, &source.anchors);
    let lines = lesson(source.text).zip(regions);
    let rest = lines.filter(|(line, region)| region.is_none() && is_code(line));
    rest.filter(|(line, _)| !listing.lines().any(|it| it == *line)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &str = "src/part1_cpu/ops.rs";
    const PAGE: &str = "book/src/slopes.md";

    /// A book with one page, which quotes one region of a source.
    fn book() -> Tree {
        let code = "use std::fmt;\n\n// ANCHOR: mul\nfn mul() {}\n\
                    // ANCHOR_END: mul\n\nfn add() {}\n";
        let page = "# Slopes\n\n```rust,ignore\n\
                    {{#include ../../src/part1_cpu/ops.rs:mul}}\n```\n\n";
        Tree::default()
            .with("book/src/SUMMARY.md", "- [Slopes](slopes.md)\n")
            .with(OPS, code)
            .with(PAGE, page)
    }

    fn manifest(text: &str) -> Manifest {
        Manifest::read(text, &[])
    }

    fn faults(tree: &Tree, manifest: &Manifest) -> Vec<String> {
        check(tree, manifest).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn a_page_shows_the_rest_of_the_files_that_it_quotes() {
        let manifest = manifest("");
        let all = faults(&book(), &manifest);
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].starts_with("book/src/slopes.md:1: this page must"));
        assert!(all[1].contains("2 lines of code of this file are on no"));
        let (listing, text) = blocks(&book(), &manifest).remove(0);
        let text = text.unwrap();
        assert!(text.contains("use std::fmt;\n\n// ... mul\n\nfn add() {}\n"));
        let page = book().get(PAGE).unwrap().to_string()
            + "{{#include ../listings/rest_slopes.md}}\n";
        let whole = book().with(PAGE, &page).with(&listing, &text);
        assert_eq!(faults(&whole, &manifest), [""; 0]);
    }

    #[test]
    fn a_file_that_no_page_quotes_needs_a_page() {
        let book = book().with("src/part1_cpu/new.rs", "fn new() {}\n");
        let all = faults(&book, &manifest(""));
        let line = "src/part1_cpu/new.rs:1: no page quotes this file.";
        assert!(all.iter().any(|it| it.starts_with(line)), "{all:?}");
        let table = "[rest]\nslopes = [\"src/part1_cpu/new.rs\"]";
        let all = faults(&book, &manifest(table));
        assert!(!all.iter().any(|it| it.starts_with(line)), "{all:?}");
    }

    #[test]
    fn unit_tests_are_not_part_of_the_lesson() {
        let text = "fn a() {}\n\n// Tests.\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(lesson(text).collect::<Vec<_>>(), ["fn a() {}", ""]);
    }
}
