//! Generates the box of an exercise, and of each of its levels, for the page
//! of its chapter. The source is `exercises.toml`, which `cargo learn` also
//! reads.

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::generated::Wanted;
use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

const ROWS: &str = "exercises/exercises.toml";
const LEVELS_OF_KERNELS: &str = "my_engine/src/kernels.rs";
const HINTS: [&str; 3] = ["A nudge", "A hint", "Nearly the answer"];

struct Exercise {
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

struct Level {
    name: String,
    chapter: String,
    task: String,
    size: String,
}

impl<'de> Deserialize<'de> for Exercise {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        Ok(Exercise {
            id: row.required("id")?,
            title: row.required("title")?,
            chapter: row.required("chapter")?,
            file: row.required("file")?,
            needs: row.required("needs")?,
            size: row.required("size")?,
            difficulty: row.required("difficulty")?,
            minutes: row.required("minutes")?,
            task: row.required("task")?,
            hints: row.required("hints")?,
            levels: match row.contains("level") {
                true => row.required("level")?,
                false => vec![],
            },
        })
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        Ok(Level {
            name: row.required("name")?,
            chapter: row.required("chapter")?,
            task: row.required("task")?,
            size: row.required("size")?,
        })
    }
}

/// A box, its file, and the chapter that includes it.
struct ExerciseBox {
    out: String,
    chapter: String,
    text: String,
}

fn read(tree: &Tree) -> Result<Vec<ExerciseBox>, String> {
    let Some(text) = tree.get(ROWS) else { return Ok(vec![]) };
    let mut document = toml_span::parse(text).map_err(|e| e.to_string())?;
    let table = TableHelper::new(&mut document);
    let rows: Vec<Exercise> = table
        .and_then(|mut table| Ok(table.required("exercise")?))
        .map_err(|error| error.to_string())?;
    let mut boxes = Vec::new();
    for row in rows {
        boxes.push(ExerciseBox {
            out: format!("book/listings/exercise_{}.md", row.id),
            chapter: row.chapter.clone(),
            text: row.text(),
        });
        boxes.extend(row.levels.iter().zip(1..).map(|(level, number)| {
            ExerciseBox {
                out: format!("book/listings/level_{}_{number}.md", row.id),
                chapter: level.chapter.clone(),
                text: row.text_of_level(tree, level, number),
            }
        }));
    }
    Ok(boxes)
}

/// Returns the boxes of all exercises and all levels.
pub(crate) fn boxes(tree: &Tree) -> Vec<Wanted> {
    match read(tree) {
        Ok(boxes) => {
            boxes.into_iter().map(|it| (it.out, Ok(it.text))).collect()
        }
        Err(what) => vec![(ROWS.into(), Err(what))],
    }
}

/// Checks that every box is on the page of its chapter.
pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let mut boxes = read(tree).unwrap_or_default();
    boxes.retain(|ExerciseBox { out, chapter, .. }| {
        let chapter = format!("book/src/{chapter}");
        let page = pages.iter().find(|page| page.path == chapter);
        !page.is_some_and(|page| page.holds(out))
    });
    let missing = |ExerciseBox { out, chapter, .. }| {
        let what = format!(
            "the chapter `{chapter}` does not show `{out}`. Include it in the \
             section \"Exercise\"."
        );
        fault(ROWS, 1, what)
    };
    boxes.into_iter().map(missing).collect()
}

impl Exercise {
    fn text(&self) -> String {
        let Exercise { id, title, file, size, difficulty, .. } = self;
        let mut text = format!(
            "<div class=\"exercise\">\n\n### {title}\n\n{}\n\n\
             You edit `exercises/{file}`: {size}.\n\
             Difficulty {difficulty} of 4, about {}.\n",
            markdown(&self.task),
            time(self.minutes)
        );
        if self.needs.iter().any(|need| need == "opencl") {
            text +=
                "It runs on an OpenCL device, which may be your processor.\n";
        }
        if !self.levels.is_empty() {
            text +=
                "\n| level | its name | what it asks for |\n|---|---|---|\n";
        }
        for (level, number) in self.levels.iter().zip(1..) {
            let Level { name, chapter, task, .. } = level;
            let task = markdown(task);
            text += &format!("| {number} | [{name}]({chapter}) | {task} |\n");
        }
        text += &format!("\n```sh\ncargo learn check {id}\n```\n");
        for (hint, name) in self.hints.iter().zip(HINTS) {
            let hint = markdown(hint);
            text += &format!(
                "\n<details>\n<summary>{name}</summary>\n\n{hint}\n\n\
                 </details>\n"
            );
        }
        text += &format!(
            "\n`cargo learn solution {id}` shows ours once yours passes.\n\n\
             </div>\n"
        );
        text
    }

    fn text_of_level(
        &self,
        tree: &Tree,
        level: &Level,
        number: usize,
    ) -> String {
        let Exercise { id, title, file, chapter, .. } = self;
        let Level { name, size, task, .. } = level;
        let task = markdown(task);
        let mut text = format!(
            "<div class=\"exercise\">\n\n### {title}, level {number}: {name}\n\n\
             {task}\n\nYou edit `exercises/{file}`: {size}.\n"
        );
        if file.ends_with(".cl") {
            text += &self.signatures(tree, number);
            text += &properties(tree, name);
            text += &self.wrong_attempt(tree, number);
        }
        text += &format!(
            "The check prints what the level asks for. \
             [{title}]({chapter}) explains the levels, and \
             `cargo learn reset {id} --from {number}` starts at this one.\n\n\
             ```sh\ncargo learn check {id}\n```\n\n</div>\n"
        );
        text
    }

    /// Returns the signatures of the kernels that a level adds to the
    /// solution.
    fn signatures(&self, tree: &Tree, number: usize) -> String {
        let path = format!("exercises/solutions/{}", self.file);
        let text = tree.get(&path).unwrap_or_default();
        let after = format!("// LEVELS {number}-\n");
        let level = text.split_once(&after).map_or("", |(_, rest)| rest);
        let level = level.split("// LEVELS ").next().unwrap_or_default();
        let kernels = level.split("kernel void ").skip(1);
        let kernels = kernels.filter_map(|it| it.split_once(")\n{"));
        let signatures: String = kernels
            .map(|(signature, _)| format!("kernel void {signature});\n"))
            .collect();
        format!("\n```c\n{signatures}```\n\n")
    }

    /// Returns the first wrong answer whose verdict names the level, and what
    /// the check says to it.
    fn wrong_attempt(&self, tree: &Tree, number: usize) -> String {
        let path = format!("exercises/wrong/{}.diff", self.id);
        let text = tree.get(&path).unwrap_or_default();
        let says = format!("says: level {number}, ");
        let answers = text.split("\n\n===");
        let parts = answers.filter_map(|it| it.split_once(&says)).next();
        let Some((what, rest)) = parts else { return String::new() };
        let what = what.rsplit("// ").next().unwrap_or_default().trim();
        let Some((verdict, change)) = rest.split_once("\n@@\n") else {
            return String::new();
        };
        // The lines that the wrong answer removes would give ours away.
        let lines = change.lines().filter(|line| !line.starts_with('-'));
        let lines: Vec<&str> = lines
            .map(|line| match line {
                "@@" => "// ..",
                _ => line.get(1..).unwrap_or_default(),
            })
            .collect();
        format!(
            "A wrong first attempt: {}\n\n```c\n{}\n```\n\n\
             The check reports:\n\n```text\n\
             level {number}, {verdict}\n```\n\n",
            lower_case(what),
            lines.join("\n").trim_end()
        )
    }
}

/// Returns the properties that the check of a level of `my_kernels` tests.
fn properties(tree: &Tree, level: &str) -> String {
    let text = tree.get(LEVELS_OF_KERNELS).unwrap_or_default();
    let start = format!("name: \"{level}\",");
    let own = text.split_once(&start).map_or("", |(_, rest)| rest);
    let own = own.split("    Level {").next().unwrap_or_default();
    let laws = own.split_once("laws! {").map_or("", |(_, laws)| laws);
    let laws = laws.split('}').next().unwrap_or_default();
    let groups = laws.split(';').filter_map(|group| group.split_once(':'));
    let names = groups.flat_map(|(_, names)| names.split(','));
    let lines: String = names
        .map(|name| format!("- {}\n", name.trim().replace('_', " ")))
        .collect();
    format!(
        "The check runs these tests in this order, and its verdict quotes the \
         first that fails:\n\n{lines}\n"
    )
}

/// Begins a sentence with a small letter, to continue one after a colon.
fn lower_case(sentence: &str) -> String {
    let (first, rest) = sentence.split_at(sentence.len().min(1));
    first.to_lowercase() + rest
}

fn time(minutes: i64) -> String {
    match minutes {
        ..90 => format!("{minutes} minutes"),
        _ => format!("{} hours", minutes as f64 / 60.0),
    }
}

/// Escapes Markdown outside of backticks, because the same text is also shown
/// in a terminal as plain text.
pub(crate) fn markdown(text: &str) -> String {
    let escaped = |c: char| match "\\*_[]<>&!#".contains(c) {
        true => format!("\\{c}"),
        false => c.to_string(),
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => part.chars().map(escaped).collect(),
        _ => format!("`{part}`"),
    });
    parts.collect()
}
