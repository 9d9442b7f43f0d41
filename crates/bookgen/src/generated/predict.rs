//! The folded question of a chapter, made from the row of
//! `exercises/predictions.toml`: page and `cargo learn predict` cannot say two
//! things, and the answer is what the program prints.

use crate::generated::Wanted;
use crate::generated::exercise::markdown;
use crate::guards::links::Entry;
use crate::page::Page;
use crate::predictions::{Prediction, read};
use crate::tree::{Fault, Tree, fault};

const ROWS: &str = "exercises/predictions.toml";

fn rows(tree: &Tree) -> Result<Vec<Prediction>, String> {
    tree.get(ROWS).map_or(Ok(vec![]), read)
}

fn out(row: &Prediction) -> String {
    format!("book/listings/predict_{}.md", row.id)
}

fn listing(row: &Prediction) -> String {
    format!("book/listings/{}", row.listing)
}

/// The blocks of all questions.
pub(crate) fn blocks(tree: &Tree) -> Vec<Wanted> {
    match rows(tree) {
        Ok(rows) => {
            rows.iter().map(|row| (out(row), block(tree, row))).collect()
        }
        Err(what) => vec![(ROWS.into(), Err(what))],
    }
}

fn block(tree: &Tree, row: &Prediction) -> Result<String, String> {
    let output = tree
        .get(&listing(row))
        .ok_or(format!("`{}` does not exist.", listing(row)))?;
    let found = row.answer(output)?;
    let known = row.wrong.iter().find(|it| {
        let guess = crate::predictions::value(&it.guess);
        guess.is_none_or(|guess| row.is_right(guess, found.is))
    });
    if let Some(guess) = known {
        return Err(format!(
            "the question `{}` calls {} wrong, and it is right or no number.",
            row.id, guess.guess
        ));
    }
    let mut text = format!(
        "<details class=\"predict\">\n<summary>Before you look: \
         {}</summary>\n\n**{}.** {}\n",
        html(&row.question),
        found.shown,
        markdown(&row.why)
    );
    for guess in &row.wrong {
        let because = markdown(&guess.because);
        text += &format!("\nIf you said {}: {because}\n", guess.guess);
    }
    text += &format!(
        "\n`cargo learn predict {}` asks you in the terminal.\n\n</details>\n",
        row.id
    );
    Ok(text)
}

/// A summary is HTML, where nobody reads Markdown.
fn html(text: &str) -> String {
    let escaped = |part: &str| {
        part.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

/// Every chapter asks before it answers: a question stands on its page, above
/// the output that has its number.
pub(crate) fn check(
    tree: &Tree,
    pages: &[Page],
    contents: &[Entry],
) -> Vec<Fault> {
    let rows = rows(tree).unwrap_or_default();
    let mut faults = Vec::new();
    for row in &rows {
        let chapter = format!("book/src/{}", row.chapter);
        let page = pages.iter().find(|page| page.path == chapter);
        let place = |file: &str| page.and_then(|page| page.place(file));
        let (block, output) = (place(&out(row)), place(&listing(row)));
        let what = match (block, output) {
            (None, _) => format!(
                "the chapter `{}` does not ask the question `{}`. Include \
                 ../listings/predict_{}.md before its output.",
                row.chapter, row.id, row.id
            ),
            (Some(_), None) => format!(
                "the chapter `{}` asks the question `{}` and does not show \
                 `{}`, which has the answer.",
                row.chapter, row.id, row.listing
            ),
            (Some(block), Some(output)) if block > output => format!(
                "the chapter `{}` asks the question `{}` below its answer. \
                 Move it above `{}`.",
                row.chapter, row.id, row.listing
            ),
            _ => continue,
        };
        faults.push(fault(ROWS, 1, what));
    }
    if !rows.is_empty() {
        let chapters = contents.iter().filter(|entry| entry.part.is_some());
        for file in chapters.filter_map(|entry| entry.file.as_deref()) {
            let asks =
                |row: &Prediction| file == format!("book/src/{}", row.chapter);
            if !rows.iter().any(asks) {
                faults.push(fault(
                    file,
                    1,
                    format!(
                        "the chapter asks nothing before it answers. Add a \
                         row to {ROWS}."
                    ),
                ));
            }
        }
    }
    faults
}
