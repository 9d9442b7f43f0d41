//! Generates the folded question of a chapter from its row in
//! `predictions.toml`, which `cargo learn predict` also reads. The answer
//! comes from the program's output.

use learn::predictions::{self, Prediction, read};
use learn::tables::html;

use crate::generated::Wanted;
use crate::generated::exercise::markdown;
use crate::page::Page;
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

/// Returns the blocks of all questions.
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
        let guess = predictions::parse_number(&it.guess);
        guess.is_none_or(|guess| row.is_close(guess, found.is))
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

/// Checks that every question is on the page of its chapter, above the output
/// that contains its answer.
pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let misplaced = |row: &Prediction| {
        let Prediction { id, chapter, listing: output, .. } = row;
        let path = format!("book/src/{chapter}");
        let page = pages.iter().find(|page| page.path == path);
        let place = |file: &str| page.and_then(|page| page.place(file));
        let what = match (place(&out(row)), place(&listing(row))) {
            (None, _) => format!(
                "the chapter `{chapter}` does not ask the question `{id}`. \
                 Include ../listings/predict_{id}.md before its output."
            ),
            (Some(_), None) => format!(
                "the chapter `{chapter}` asks the question `{id}` and does \
                 not show `{output}`, which has the answer."
            ),
            (Some(block), Some(answer)) if block > answer => format!(
                "the chapter `{chapter}` asks the question `{id}` below its \
                 answer. Move it above `{output}`."
            ),
            _ => return None,
        };
        Some(fault(ROWS, 1, what))
    };
    let rows = rows(tree).unwrap_or_default();
    rows.iter().filter_map(misplaced).collect()
}
