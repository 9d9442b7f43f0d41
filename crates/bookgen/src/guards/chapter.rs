//! Every chapter has the same shape, so that a reader always knows where to
//! look.

use pulldown_cmark::Event;

use crate::guards::links::Entry;
use crate::page::Page;
use crate::tree::Fault;

/// The sections that a chapter has, in this order; others stand between
/// `You will build` and `Run it`. From the second part on there is one to
/// compare with, and `Exercise` is for the chapters that the exercises name.
pub(crate) const SECTIONS: [&str; 6] = [
    "You will build",
    "Run it",
    "Check yourself",
    "What changed",
    "Exercise",
    "Where next",
];

/// What the table of contents lists in a part has the shape of a chapter.
pub(crate) fn check(
    page: &Page,
    entry: Option<&Entry>,
    has_exercise: bool,
) -> Vec<Fault> {
    let Some(part) = entry.and_then(|entry| entry.part) else {
        return vec![];
    };
    let mut faults = Vec::new();
    if !page.text.lines().skip(1).find(|l| !l.is_empty()).is_some_and(is_goal) {
        faults.push(page.fault(
            0,
            "the chapter does not open with its goal. Write one sentence in \
             bold below the title.",
        ));
    }
    let headings = page.headings();
    let sections: Vec<(usize, &str)> = headings
        .iter()
        .filter(|(_, level, _)| *level == 2)
        .map(|(at, _, title)| (*at, title.as_str()))
        .collect();
    let find = |name: &str| sections.iter().position(|(_, t)| *t == name);
    let mut last = None;
    for name in SECTIONS {
        match find(name) {
            None if name == "What changed" && part == 1 => {}
            None if name == "Exercise" && !has_exercise => {}
            Some(i) if name == "Exercise" && !has_exercise => {
                faults.push(page.fault(
                    sections[i].0,
                    "no row of exercises/exercises.toml names this chapter. \
                     Add one, or give the section another name.",
                ));
            }
            None => faults.push(page.fault(
                0,
                format!("the chapter has no section \"{name}\". Add it."),
            )),
            found if found < last => faults.push(page.fault(
                sections[found.unwrap_or_default()].0,
                format!(
                    "\"{name}\" stands too early. The order is: {}.",
                    SECTIONS.join(", ")
                ),
            )),
            found => last = found,
        }
    }
    let section = |name: &str| {
        let i = find(name)?;
        let end = sections.get(i + 1).map_or(page.text.len(), |(at, _)| *at);
        Some((sections[i].0, &page.text[sections[i].0..end]))
    };
    let demands: [(&str, &[&str], &str); 4] = [
        ("Run it", &["```console"], "a command with its output"),
        ("Check yourself", &["<details>"], "an answer in <details>"),
        (
            "What changed",
            &["```diff", "<div class=\"panes\">"],
            "a generated diff, or two listings in <div class=\"panes\">",
        ),
        ("Exercise", &["cargo learn check "], "`cargo learn check ID`"),
    ];
    for (name, wanted, words) in demands {
        if let Some((at, text)) = section(name)
            && !wanted.iter().any(|wanted| text.contains(wanted))
        {
            let what = format!("\"{name}\" does not hold {words}. Add it.");
            faults.push(page.fault(at, what));
        }
    }
    let run = find("Run it").map_or(page.text.len(), |i| sections[i].0);
    if !page.text[..run].contains("\n<figure") {
        faults.push(page.fault(
            0,
            "the chapter has no figure before \"Run it\". Draw its idea.",
        ));
    }
    faults
}

fn is_goal(line: &str) -> bool {
    line.strip_prefix("**")
        .and_then(|line| line.strip_suffix(".**"))
        .is_some_and(|goal| !goal.contains("**") && !goal.contains(". "))
}

/// One sentence a line: a change to a sentence is a change to one line.
pub(crate) fn sentences(page: &Page) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (event, range) in page.events() {
        let Event::Text(text) = event else { continue };
        let ends = [". ", "? ", "! "];
        let two = text.char_indices().any(|(i, _)| {
            let (head, tail) = text.split_at(i);
            ends.iter().any(|end| head.ends_with(end))
                && tail.starts_with(char::is_uppercase)
                && !head.ends_with("e.g. ")
        });
        if two && page.is_typed(range.start) {
            faults.push(page.fault(
                range.start,
                "two sentences stand on one line. Start the second on its \
                 own.",
            ));
        }
    }
    faults
}
