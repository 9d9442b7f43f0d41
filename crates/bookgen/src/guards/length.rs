//! Checks that no chapter is too long to read in one sitting.

use crate::tree::{Fault, Tree, fault};

/// The most words of a chapter's file, whose listings are included.
const MAX_WORDS: usize = 2800;

/// Checks the pages that the table of contents lists as chapters.
pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let contents = tree.get("book/src/SUMMARY.md").unwrap_or_default();
    let files = contents.lines().filter_map(|line| {
        let link = line.strip_prefix("- [")?.strip_suffix(')')?;
        Some(format!("book/src/{}", link.split_once("](")?.1))
    });
    files
        .filter_map(|file| {
            let words = tree.get(&file)?.split_whitespace().count();
            let what = format!(
                "this chapter has {words} words, and the limit is \
                 {MAX_WORDS}. Shorten it or split it."
            );
            (words > MAX_WORDS).then(|| fault(&file, 1, what))
        })
        .collect()
}
