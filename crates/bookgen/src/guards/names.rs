//! Chapters have names. The table of contents alone numbers them, so that a
//! chapter more is a line more there, and old addresses lead to the new ones.

use std::collections::BTreeMap;

use toml_span::Value;

use crate::guards::links::SUMMARY;
use crate::guards::live::ENGINE;
use crate::tree::{Fault, Tree, fault};

const SETTINGS: &str = "book/book.toml";

/// Every place that would be wrong when a chapter is added before it.
pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (file, text) in tree.list("", "") {
        let is_page = file.starts_with("book/src/") && file != SUMMARY;
        let name = file.strip_prefix("book/src/").unwrap_or_default();
        if is_page && prefix(name).is_some() {
            let what = "the name of this page begins with a number, which \
                        SUMMARY.md alone gives. Name it by its subject.";
            faults.push(fault(file, 1, what));
        }
        // The old addresses, which stay, and packed bytes, which are no words.
        if file == SETTINGS || file == ENGINE {
            continue;
        }
        let text = text.to_lowercase();
        let places = text.match_indices("ch").map(|(at, _)| at);
        for at in places.filter(|at| !text[..*at].ends_with(is_word)) {
            let place = &text[at..];
            let what = if let Some(number) = number(place) {
                format!(
                    "a chapter is called by its number here, {number}. Call \
                     it by its title, which does not change."
                )
            } else if is_page && is_neighbor(&text[..at], place) {
                "what stands before or after a chapter changes. Call the \
                 other by its title."
                    .into()
            } else {
                continue;
            };
            let line = text[..at].matches('\n').count() + 1;
            faults.push(fault(file, line, what));
        }
    }
    faults.extend(redirects(tree).into_iter().filter_map(|(old, new)| {
        let page = new.strip_suffix(".html")?;
        let page = format!("book/src/{page}.md");
        tree.get(&page).is_none().then(|| {
            let what = format!(
                "the old address `{old}` leads to `{new}`, and there is no \
                 {page}. Lead it to a page of today."
            );
            fault(SETTINGS, 1, what)
        })
    }));
    faults
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The digits with which an old name began, behind `ch`.
fn prefix(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("ch").unwrap_or(text);
    let (digits, _) = rest.split_once('-')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !digits.is_empty()).then_some(digits)
}

/// The number behind `chapter`, `chapters` or `ch`, also when a line of a
/// comment ends between the two.
fn number(text: &str) -> Option<&str> {
    if let Some(digits) = prefix(text) {
        return Some(digits);
    }
    let rest = text.strip_prefix("chapter")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let behind = rest.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '/' | '!' | '#' | '\\' | '"')
    });
    let end = behind.find(|c| !is_word(c)).unwrap_or(behind.len());
    let word = &behind[..end];
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    (behind.len() < rest.len() && is_number).then_some(word)
}

/// Whether this is the chapter before or after that of the page.
fn is_neighbor(before: &str, text: &str) -> bool {
    let words = ["next", "last", "previous"];
    let before = before.trim_end();
    text.starts_with("chapter") && words.iter().any(|it| before.ends_with(it))
}

/// The old addresses, each with the one that it leads to.
pub(crate) fn redirects(tree: &Tree) -> BTreeMap<String, String> {
    let text = tree.get(SETTINGS).unwrap_or_default();
    let settings = toml_span::parse(text).ok();
    let table = settings.as_ref().and_then(|settings| {
        settings.pointer("/output/html/redirect")?.as_table()
    });
    let rows = table.into_iter().flatten();
    rows.map(|(old, new): (_, &Value<'_>)| {
        let new = new.as_str().unwrap_or_default();
        (old.name.to_string(), new.to_string())
    })
    .collect()
}
