//! Checks the order of the glossary, and that each word that only this project
//! uses names the usual word beside it.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::page::Page;
use crate::tree::{Fault, fault};

const PATH: &str = "book/src/glossary.md";

/// The words that only this project uses, or that it uses in its own sense.
pub(crate) const HOUSE_WORDS: &[&str] = &[
    "Compact",
    "Dense",
    "Derived operation",
    "Fast engine",
    "Guard value",
    "Judge",
    "Law",
    "Lazy device",
    "Lazy node",
    "Ledger",
    "Level",
    "Live value",
    "Local rule",
    "Nudge",
    "Plain device",
    "Reach",
    "Rung",
    "Scope",
    "Shard",
    "Tape",
    "Verdict",
];

#[derive(Default)]
struct Entry {
    at: usize,
    head: String,
    definition: String,
}

pub(crate) fn check(pages: &[Page]) -> Vec<Fault> {
    let Some(page) = pages.iter().find(|page| page.path == PATH) else {
        return vec![fault(PATH, 1, "the book has no glossary. Write it.")];
    };
    let entries = entries(page);
    let mut faults = Vec::new();
    for pair in entries.windows(2) {
        let [first, second] = [&pair[0], &pair[1]];
        if sort_key(&first.head) >= sort_key(&second.head) {
            let what = format!(
                "`{}` is not before `{}`. Sort the entries, and write one \
                 for each term.",
                first.head, second.head
            );
            faults.push(page.fault(second.at, what));
        }
    }
    for word in HOUSE_WORDS {
        let has_partner = entries.iter().any(|entry| {
            entry.head == *word && entry.definition.contains("In the field:")
        });
        if !has_partner {
            let what = format!(
                "only this project says `{word}`. Write an entry `{word}` \
                 that names the usual word after \"In the field:\"."
            );
            faults.push(fault(PATH, 1, what));
        }
    }
    faults
}

fn entries(page: &Page) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut is_head = false;
    for (event, range) in page.events() {
        match event {
            Event::Start(Tag::DefinitionListTitle) => {
                is_head = true;
                entries.push(Entry { at: range.start, ..Entry::default() });
            }
            Event::End(TagEnd::DefinitionListTitle) => is_head = false,
            Event::Text(words) | Event::Code(words) => {
                if let Some(entry) = entries.last_mut() {
                    let text = if is_head {
                        &mut entry.head
                    } else {
                        &mut entry.definition
                    };
                    text.push_str(&words);
                }
            }
            _ => {}
        }
    }
    entries
}

/// Returns the head with hyphens as spaces and without other punctuation.
fn sort_key(head: &str) -> String {
    let spaced = head.to_lowercase().replace(['-', '_'], " ");
    spaced.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect()
}
