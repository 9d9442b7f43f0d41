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
    difficulty: i64,
    minutes: i64,
    task: String,
    hints: Vec<String>,
    levels: Vec<Level>,
}

/// What the page of a level says of it.
struct Level {
    name: String,
    chapter: String,
    task: String,
    size: String,
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
    let number = |key: &str| {
        let value = row.pointer(&format!("/{key}"));
        value.and_then(Value::as_integer).ok_or(missing(key))
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
        difficulty: number("difficulty")?,
        minutes: number("minutes")?,
        task: text("task")?,
        hints: list("hints")?,
        levels: levels(row, id)?,
    })
}

fn levels(row: &Value<'_>, id: &str) -> Result<Vec<Level>, String> {
    let rows = row.pointer("/level").and_then(Value::as_array);
    let level = |row: &Value<'_>| {
        let text = |key: &str| {
            let value = row.pointer(&format!("/{key}")).and_then(Value::as_str);
            value
                .map(String::from)
                .ok_or_else(|| format!("a level of `{id}` has no {key}."))
        };
        Ok(Level {
            name: text("name")?,
            chapter: text("chapter")?,
            task: text("task")?,
            size: text("size")?,
        })
    };
    rows.into_iter().flatten().map(level).collect()
}

fn out(row: &Row) -> String {
    format!("book/listings/exercise_{}.md", row.id)
}

fn out_of_level(row: &Row, level: usize) -> String {
    format!("book/listings/level_{}_{level}.md", row.id)
}

/// The boxes of all exercises, and of all levels.
pub(crate) fn boxes(tree: &Tree) -> Vec<Wanted> {
    let of = |row: &Row| -> Vec<Wanted> {
        let levels = row.levels.iter().zip(1..).map(|(level, number)| {
            let page = page_of_level(row, level, number);
            (out_of_level(row, number), Ok(page))
        });
        [(out(row), Ok(page(row)))].into_iter().chain(levels).collect()
    };
    match rows(tree) {
        Ok(rows) => rows.iter().flat_map(of).collect::<Vec<Wanted>>(),
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
    let lost_levels = rows.iter().flat_map(|row| {
        let levels = row.levels.iter().zip(1..);
        let lost = levels.filter(|(level, number)| {
            let chapter = format!("book/src/{}", level.chapter);
            let page = pages.iter().find(|page| page.path == chapter);
            !page.is_some_and(|page| page.holds(&out_of_level(row, *number)))
        });
        lost.map(|(level, number)| {
            let Level { chapter, .. } = level;
            let out = out_of_level(row, number).replace("book", "..");
            fault(
                ROWS,
                1,
                format!(
                    "the chapter `{chapter}` does not show level {number} of \
                     `{}`. Include {out} in its section \"Exercise\".",
                    row.id
                ),
            )
        })
    });
    let lost = rows.iter().filter(|row| !shown(row));
    let lost = lost.map(|row| {
        fault(
            ROWS,
            1,
            format!(
                "the chapter `{}` does not show the exercise `{}`. Include \
                 ../listings/exercise_{}.md in its section \"Exercise\".",
                row.chapter, row.id, row.id
            ),
        )
    });
    lost.chain(lost_levels).collect()
}

/// What a chapter says of the level that belongs to it.
fn page_of_level(row: &Row, level: &Level, number: usize) -> String {
    let Row { id, title, file, .. } = row;
    let Level { name, size, .. } = level;
    let task = markdown(&level.task);
    format!(
        "<div class=\"exercise\">\n\n### {title}, level {number}: {name}\n\n\
         {task}\n\nYou edit `exercises/{file}`: {size}.\n\
         The check says what is asked for; \
         [{title}]({}) tells how it works, and \
         `cargo learn reset {id} --from {number}` begins here.\n\n\
         ```sh\ncargo learn check {id}\n```\n\n</div>\n",
        row.chapter
    )
}

fn page(row: &Row) -> String {
    let Row { id, title, file, size, difficulty, minutes, .. } = row;
    let task = markdown(&row.task);
    let mut page = format!(
        "<div class=\"exercise\">\n\n### {title}\n\n{task}\n\n\
         You edit `exercises/{file}`: {size}.\n\
         Difficulty {difficulty} of 4, about {}.\n",
        time(*minutes)
    );
    if row.needs.iter().any(|need| need == "opencl") {
        page += "It runs on an OpenCL device, which may be your processor.\n";
    }
    if !row.levels.is_empty() {
        page += "\n| level | its name | what it asks for |\n|---|---|---|\n";
    }
    for (Level { name, chapter, task, .. }, number) in
        row.levels.iter().zip(1..)
    {
        let task = markdown(task);
        page += &format!("| {number} | [{name}]({chapter}) | {task} |\n");
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

/// Writes a time as people say it.
fn time(minutes: i64) -> String {
    match minutes {
        ..90 => format!("{minutes} minutes"),
        _ => format!("{} hours", minutes as f64 / 60.0),
    }
}

/// Rows are read in a terminal too, so outside of backticks nothing in them
/// is meant as Markdown.
pub(crate) fn markdown(text: &str) -> String {
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
