//! Generates the questions with choices of a chapter from `questions.toml`.
//! Each choice is a `<details>` whose text says why it is right or wrong, so a
//! question needs no script and is complete in print and in the EPUB.

use std::collections::BTreeMap;

use learn::tables::{Choice, Question, html, rows};

use crate::generated::Wanted;
use crate::generated::exercise::markdown;
use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

const ROWS: &str = "book/questions.toml";
const CONTENTS: &str = "book/src/SUMMARY.md";
const SECTION: &str = "Check yourself";

/// Returns the questions by chapter, in the order of the rows.
fn read(tree: &Tree) -> Result<BTreeMap<String, Vec<Question>>, String> {
    let Some(text) = tree.get(ROWS) else { return Ok(BTreeMap::new()) };
    let mut chapters: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for row in rows::<Question>(text, "question")? {
        chapters.entry(row.chapter.clone()).or_default().push(row);
    }
    Ok(chapters)
}

fn out(chapter: &str) -> String {
    format!("book/listings/questions_{chapter}")
}

/// Returns the questions of each chapter.
pub(crate) fn blocks(tree: &Tree) -> Vec<Wanted> {
    let chapters = match read(tree) {
        Ok(chapters) => chapters,
        Err(what) => return vec![(ROWS.into(), Err(what))],
    };
    let listing = |(chapter, rows): (&String, &Vec<Question>)| {
        let name = chapter.trim_end_matches(".md");
        let texts = rows.iter().zip(1..);
        let texts = texts.map(|(row, i)| block(row, &format!("{name}-{i}")));
        let texts: Result<Vec<String>, String> = texts.collect();
        (out(chapter), texts.map(|texts| texts.join("\n")))
    };
    chapters.iter().map(listing).collect()
}

/// Returns a question with its choices.
fn block(row: &Question, id: &str) -> Result<String, String> {
    let Question { question, choices, .. } = row;
    let right = choices.iter().filter(|choice| choice.is_right).count();
    if right != 1 || choices.len() < 3 {
        return Err(format!(
            "the question {question:?} has {} choices, {right} of them \
             right. Write at least three, with `right = true` for one.",
            choices.len()
        ));
    }
    let id = format!("question-{id}");
    let mut text = format!(
        "<div class=\"question\" role=\"group\" aria-labelledby=\"{id}\">\
         \n<p id=\"{id}\">{}</p>\n",
        html(question)
    );
    for Choice { text: choice, is_right, reason } in choices {
        let others = choices.iter().filter(|it| it.text == *choice);
        if reason.trim().is_empty() || others.count() > 1 {
            return Err(format!(
                "the choice {choice:?} of the question {question:?} needs \
                 a reason and a text of its own."
            ));
        }
        let (class, verdict) = match is_right {
            true => (" class=\"correct\"", "Right."),
            false => ("", "Wrong."),
        };
        text += &format!(
            "<details{class}>\n<summary>{}</summary>\n\n**{verdict}** \
             {}\n\n</details>\n",
            html(choice),
            markdown(reason)
        );
    }
    Ok(text + "</div>\n")
}

/// Checks that each chapter of a part has a question, and that a chapter asks
/// its questions in the section "Check yourself".
pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let rows = read(tree).unwrap_or_default();
    // The pages before and after the parts are not items of a list.
    let contents = tree.get(CONTENTS).unwrap_or_default().lines();
    let items = contents.filter_map(|line| line.strip_prefix("- ["));
    let chapters =
        items.filter_map(|it| it.split_once("](")?.1.split_once(')'));
    let has_none = chapters
        .map(|(chapter, _)| chapter)
        .filter(|it| !it.is_empty() && !rows.contains_key(*it));
    let has_none = has_none.map(|chapter| {
        let what =
            format!("`{chapter}` has no question with choices. Add a row.");
        fault(ROWS, 1, what)
    });
    let is_asked = |chapter: &str| {
        let path = format!("book/src/{chapter}");
        let page = pages.iter().find(|page| page.path == path)?;
        let line = page.place(&out(chapter))?;
        let (at, _) = page.lines().nth(line)?;
        let mut headings = page.headings().into_iter();
        let above = headings.rfind(|it| it.0 < at && it.1 == 2)?;
        Some(above.2 == SECTION)
    };
    let not_asked = rows.keys().filter(|name| is_asked(name) != Some(true));
    let not_asked = not_asked.map(|chapter| {
        let what = format!(
            "the chapter `{chapter}` does not ask its questions. Include \
             ../listings/questions_{chapter} in its section \"{SECTION}\"."
        );
        fault(ROWS, 1, what)
    });
    has_none.chain(not_asked).collect()
}
