//! Every block shows something. Markdown takes a line `54.` for the 54th item
//! of a list, and the answer that it was disappears.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::page::Page;
use crate::tree::Fault;

/// A block that has begun: where, its name, and whether it shows anything yet.
struct Open(usize, &'static str, bool);

pub(crate) fn check(page: &Page) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (event, range) in page.events() {
        let at = range.start;
        let closed = match &event {
            Event::Start(Tag::List(Some(number))) if *number != 1 => {
                faults.push(page.fault(
                    at,
                    format!(
                        "to Markdown this is a list that begins with \
                         {number}. Let the line begin with a word."
                    ),
                ));
                None
            }
            Event::Start(tag) => {
                open.extend(name(tag).map(|name| Open(at, name, false)));
                None
            }
            Event::End(
                TagEnd::Item
                | TagEnd::Heading(_)
                | TagEnd::BlockQuote(_)
                | TagEnd::DefinitionListDefinition,
            ) => open.pop(),
            // Both stand in lines of their own.
            Event::Html(html) if html.contains("</details>") => open.pop(),
            Event::Html(html) if html.contains("</summary>") => {
                open.push(Open(at, "answer", false));
                None
            }
            Event::End(_) => None,
            Event::Text(text) if text.trim().is_empty() => None,
            _ => {
                open.iter_mut().for_each(|block| block.2 = true);
                None
            }
        };
        match closed {
            Some(Open(_, _, true)) => {
                // What shows something does so in all that it stands in.
                open.iter_mut().for_each(|block| block.2 = true);
            }
            Some(Open(at, name, false)) => faults.push(page.fault(
                at,
                format!("this {name} shows nothing. Fill it or remove it."),
            )),
            None => {}
        }
    }
    faults
}

/// The blocks that can be empty without a word from mdBook.
fn name(tag: &Tag) -> Option<&'static str> {
    match tag {
        Tag::Item => Some("item of a list"),
        Tag::Heading { .. } => Some("heading"),
        Tag::BlockQuote(_) => Some("quotation"),
        Tag::DefinitionListDefinition => Some("definition"),
        _ => None,
    }
}
