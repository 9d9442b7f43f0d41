//! The box of an exercise in its chapter, made from the row in
//! `exercises.toml`: page and `cargo learn` cannot say two things.

use toml_span::Value;

use crate::generated::Wanted;
use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

const ROWS: &str = "exercises/exercises.toml";
const HINTS: [&str; 3] = ["A nudge", "A hint", "Nearly the answer"];

/// What the page says of an exercise.
struct Row {
    id: String,
    title: String,
    chapter: String,
    file: String,
    needs: Vec<String>,
    size: String,
    task: String,
    hints: Vec<String>,
}

fn rows(tree: &Tree) -> Result<Vec<Row>, String> {
    let Some(text) = tree.get(ROWS) else { return Ok(vec![]) };
    let whole = toml_span::parse(text).map_err(|error| error.to_string())?;
    let rows = whole.pointer("/exercise").and_then(Value::as_array);
    rows.into_iter().flatten().map(row).collect()
}

fn row(row: &Value<'_>) -> Result<Row, String> {
    let id = row.pointer("/id").and_then(Value::as_str).unwrap_or("?");
    let missing = |key: &str| format!("the exercise `{id}` has no {key}.");
    let text = |key: &str| {
        let value = row.pointer(&format!("/{key}")).and_then(Value::as_str);
        value.map(String::from).ok_or(missing(key))
    };
    let list = |key: &str| {
        let value = row.pointer(&format!("/{key}")).and_then(Value::as_array);
        let words = value.ok_or(missing(key))?.iter();
        words
            .map(|w| w.as_str().map(String::from).ok_or(missing(key)))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(Row {
        id: text("id")?,
        title: text("title")?,
        chapter: text("chapter")?,
        file: text("file")?,
        needs: list("needs")?,
        size: text("size")?,
        task: text("task")?,
        hints: list("hints")?,
    })
}

fn out(row: &Row) -> String {
    format!("book/listings/exercise_{}.md", row.id)
}

/// The boxes of all exercises.
pub(crate) fn boxes(tree: &Tree) -> Vec<Wanted> {
    match rows(tree) {
        Ok(rows) => rows.iter().map(|row| (out(row), Ok(page(row)))).collect(),
        Err(what) => vec![(ROWS.into(), Err(what))],
    }
}

/// Whether a row names the chapter.
pub(crate) fn is_of(tree: &Tree, chapter: &str) -> bool {
    let rows = rows(tree).unwrap_or_default();
    rows.iter().any(|row| chapter == format!("book/src/{}", row.chapter))
}

/// Every exercise stands in the chapter that its row names.
pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let rows = rows(tree).unwrap_or_default();
    let shown = |row: &Row| {
        let chapter = format!("book/src/{}", row.chapter);
        let page = pages.iter().find(|page| page.path == chapter);
        page.is_some_and(|page| page.holds(&out(row)))
    };
    let lost = rows.iter().filter(|row| !shown(row));
    lost.map(|row| {
        fault(
            ROWS,
            1,
            format!(
                "the chapter `{}` does not show the exercise `{}`. Include \
                 ../listings/exercise_{}.md in its section \"Exercise\".",
                row.chapter, row.id, row.id
            ),
        )
    })
    .collect()
}

fn page(row: &Row) -> String {
    let Row { id, title, file, size, .. } = row;
    let task = markdown(&row.task);
    let mut page = format!(
        "<div class=\"exercise\">\n\n### {title}\n\n{task}\n\n\
         You edit `exercises/{file}`: {size}.\n"
    );
    if row.needs.iter().any(|need| need == "opencl") {
        page += "It runs on an OpenCL device, which may be your processor.\n";
    }
    page += &format!("\n```sh\ncargo learn check {id}\n```\n");
    for (hint, name) in row.hints.iter().zip(HINTS) {
        let hint = markdown(hint);
        page += &format!(
            "\n<details>\n<summary>{name}</summary>\n\n{hint}\n\n</details>\n"
        );
    }
    page += &format!(
        "\n`cargo learn solution {id}` shows ours once yours passes.\n\n\
         </div>\n"
    );
    page
}

/// Rows are read in a terminal too, so outside of backticks nothing in them
/// is meant as Markdown.
fn markdown(text: &str) -> String {
    let escaped = |part: &str| {
        part.chars().fold(String::new(), |mut text, c| {
            if "\\*_[]<>&!#".contains(c) {
                text.push('\\');
            }
            text.push(c);
            text
        })
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => escaped(part),
        _ => format!("`{part}`"),
    });
    parts.collect()
}
