//! A term is bold where it is defined, once in the book, and the glossary
//! leads there. The field's word for a word of ours stands in italics.

use std::collections::{HashMap, HashSet};

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::page::{Page, id_of};
use crate::tree::{Fault, resolve};

const GLOSSARY: &str = "book/src/glossary.md";

/// Bold or italic words, with their place.
struct Marked {
    at: usize,
    is_bold: bool,
    words: String,
}

/// An entry of the glossary: its place, its term, and where it leads last.
struct Entry {
    at: usize,
    term: String,
    page: Option<String>,
}

pub(crate) fn check(pages: &[Page]) -> Vec<Fault> {
    let (glossary, others): (Vec<&Page>, Vec<&Page>) =
        pages.iter().partition(|page| page.path == GLOSSARY);
    let marked: Vec<(&Page, Vec<Marked>)> =
        others.iter().map(|&page| (page, marked(page))).collect();
    let known: HashSet<String> =
        glossary.iter().flat_map(|page| page.ids()).collect();
    let mut faults = defined_once(&marked, &known);
    for glossary in glossary {
        for Entry { at, term, page } in entries(glossary) {
            let Some(page) = page else {
                let what = format!(
                    "\"{term}\" leads nowhere. End the entry with a link to \
                     the page that defines it."
                );
                faults.push(glossary.fault(at, what));
                continue;
            };
            let stands = marked.iter().any(|(other, marked)| {
                other.path == page
                    && marked.iter().any(|m| id_of(&m.words) == id_of(&term))
            });
            if !stands {
                let what = format!(
                    "\"{term}\" is neither bold nor in italics in {page}. \
                     Define it there, or lead elsewhere."
                );
                faults.push(glossary.fault(at, what));
            }
        }
    }
    faults
}

/// Bold is for a term where it is defined: once in the book, and in the
/// glossary too. (The goal of a chapter is bold as well.)
fn defined_once(
    marked: &[(&Page, Vec<Marked>)],
    known: &HashSet<String>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut defined: HashMap<String, &str> = HashMap::new();
    for (page, marked) in marked {
        for Marked { at, is_bold, words } in marked {
            let term = words.to_lowercase();
            if !is_bold || term.ends_with('.') || !page.is_typed(*at) {
                continue;
            }
            let place = defined.insert(term.clone(), &page.path);
            if !known.contains(&id_of(&term)) {
                let what = format!(
                    "\"{term}\" is bold and not in {GLOSSARY}. Define it \
                     there, or use italics."
                );
                faults.push(page.fault(*at, what));
            } else if let Some(place) = place {
                let what = format!(
                    "\"{term}\" was bold already in {place}. A term is bold \
                     once, where it is defined."
                );
                faults.push(page.fault(*at, what));
            }
        }
    }
    faults
}

fn marked(page: &Page) -> Vec<Marked> {
    let mut marked = Vec::new();
    let mut open: Vec<Marked> = Vec::new();
    for (event, range) in page.events() {
        match event {
            Event::Start(tag @ (Tag::Strong | Tag::Emphasis)) => {
                open.push(Marked {
                    at: range.start,
                    is_bold: tag == Tag::Strong,
                    words: String::new(),
                });
            }
            Event::Text(text) | Event::Code(text) => {
                open.iter_mut().for_each(|m| m.words.push_str(&text));
            }
            Event::End(TagEnd::Strong | TagEnd::Emphasis) => {
                marked.extend(open.pop());
            }
            _ => {}
        }
    }
    marked
}

fn entries(glossary: &Page) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut in_term = false;
    for (event, range) in glossary.events() {
        match event {
            Event::Start(Tag::DefinitionListTitle) => {
                in_term = true;
                let (at, term) = (range.start, String::new());
                entries.push(Entry { at, term, page: None });
            }
            Event::End(TagEnd::DefinitionListTitle) => in_term = false,
            Event::Text(text) | Event::Code(text) if in_term => {
                entries.last_mut().expect("an entry").term += &text;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let path = dest_url.split('#').next().unwrap_or_default();
                if let Some(entry) = entries.last_mut() {
                    entry.page = Some(resolve(GLOSSARY, path));
                }
            }
            _ => {}
        }
    }
    entries
}
