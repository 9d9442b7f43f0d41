//! Finds blocks that show nothing. For example, Markdown parses a line `54.`
//! as the 54th item of a list, without text.

use pulldown_cmark::Event::{End, Html, Start};
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::page::Page;
use crate::tree::Fault;

pub(crate) fn check(page: &Page) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut last = Event::Rule;
    for (event, range) in page.events() {
        if matches!(event, Start(Tag::HtmlBlock) | End(TagEnd::HtmlBlock)) {
            continue;
        }
        if let Start(Tag::List(Some(number))) = event
            && number != 1
        {
            let what = format!(
                "Markdown reads this as a list that begins with {number}. \
                 Begin the line with a word."
            );
            faults.push(page.fault(range.start, what));
        }
        if let Some(block) = empty(&last, &event) {
            let what =
                format!("this {block} shows nothing. Fill it or remove it.");
            faults.push(page.fault(range.start, what));
        }
        last = event;
    }
    faults
}

/// Returns the kind of block if it begins with one event and ends with the
/// next.
fn empty(first: &Event<'_>, next: &Event<'_>) -> Option<&'static str> {
    match (first, next) {
        (Start(Tag::Item), End(_)) => Some("item of a list"),
        (Start(Tag::Heading { .. }), End(_)) => Some("heading"),
        (Start(Tag::BlockQuote(_)), End(_)) => Some("quotation"),
        (Start(Tag::DefinitionListDefinition), End(_)) => Some("definition"),
        (Html(summary), Html(end))
            if summary.contains("</summary>") && end.contains("</details>") =>
        {
            Some("answer")
        }
        _ => None,
    }
}
