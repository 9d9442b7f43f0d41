//! Tables of "Teaching with Rungrad": three schedules, the misconceptions, and
//! the exercises that show them.

use std::collections::BTreeMap;

use learn::tables::{Misconception, rows};
use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::generated::Wanted;
use crate::tree::Tree;

const CONTENTS: &str = "book/src/SUMMARY.md";
const EXERCISES: &str = "exercises/exercises.toml";
const MISCONCEPTIONS: &str = "exercises/misconceptions.toml";

/// Words that a student reads per minute.
const SPEED: usize = 200;

/// A course for some parts of the book.
struct Course {
    out: &'static str,
    /// The first parts of the book.
    parts: usize,
    /// Exercises that are more difficult are left for later.
    difficulty: i64,
    unit: &'static str,
    sessions: usize,
    /// The minutes for the whole course. Chapters that no longer fit are left
    /// out.
    most: i64,
}

const COURSES: [Course; 3] = [
    Course {
        out: "day",
        parts: 1,
        difficulty: 2,
        unit: "block",
        sessions: 4,
        most: 6 * 60,
    },
    Course {
        out: "week",
        parts: 2,
        difficulty: 3,
        unit: "day",
        sessions: 5,
        most: 5 * 6 * 60,
    },
    Course {
        out: "term",
        parts: 6,
        difficulty: 4,
        unit: "week",
        sessions: 13,
        most: 13 * 6 * 60,
    },
];

struct Exercise {
    id: String,
    chapter: String,
    difficulty: i64,
    minutes: i64,
    has_levels: bool,
}

impl<'de> Deserialize<'de> for Exercise {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        Ok(Exercise {
            id: row.required("id")?,
            chapter: row.required("chapter")?,
            difficulty: row.required("difficulty")?,
            minutes: row.required("minutes")?,
            has_levels: row.contains("level"),
        })
    }
}

/// A chapter with its exercises.
struct Chapter<'a> {
    title: &'a str,
    file: &'a str,
    reading: i64,
    exercises: Vec<&'a Exercise>,
}

impl Chapter<'_> {
    fn practice(&self) -> i64 {
        self.exercises.iter().map(|it| it.minutes).sum()
    }

    fn minutes(&self) -> i64 {
        self.reading + self.practice()
    }
}

/// Returns all tables.
pub(crate) fn tables(tree: &Tree) -> Vec<Wanted> {
    if tree.get(MISCONCEPTIONS).is_none() {
        return vec![];
    }
    let text = |file| tree.get(file).unwrap_or_default();
    let exercises = rows::<Exercise>(text(EXERCISES), "exercise");
    let known = rows::<Misconception>(text(MISCONCEPTIONS), "misconception");
    let (exercises, known) = match (exercises, known) {
        (Ok(exercises), Ok(known)) => (exercises, known),
        (Err(what), _) => return vec![(EXERCISES.into(), Err(what))],
        (_, Err(what)) => return vec![(MISCONCEPTIONS.into(), Err(what))],
    };
    let schedules = COURSES.iter().map(|course| {
        (listing(course.out), Ok(schedule(tree, &exercises, course)))
    });
    schedules
        .chain([
            (listing("misconceptions"), misconceptions(tree, &known)),
            (listing("exercises"), Ok(mistakes(tree, &exercises, &known))),
        ])
        .collect()
}

fn listing(name: &str) -> String {
    format!("book/listings/teaching_{name}.md")
}

/// Returns the chapters of the first parts of the book.
fn chapters<'a>(
    tree: &'a Tree,
    exercises: &'a [Exercise],
    course: &Course,
) -> Vec<Chapter<'a>> {
    let contents = tree.get(CONTENTS).unwrap_or_default();
    let mut part = 0;
    let mut chapters = Vec::new();
    for line in contents.lines() {
        part += usize::from(line.starts_with("# Part "));
        if line == "# Epilogue" || part > course.parts {
            break;
        }
        let link = line.strip_prefix("- [").and_then(|it| it.strip_suffix(')'));
        let Some((title, file)) = link.and_then(|it| it.split_once("]("))
        else {
            continue;
        };
        let text = tree.get(&format!("book/src/{file}")).unwrap_or_default();
        let words = text.split_whitespace().count();
        let is_here = |it: &&Exercise| {
            it.chapter == file
                && it.difficulty <= course.difficulty
                && !it.has_levels
        };
        chapters.push(Chapter {
            title,
            file,
            reading: words.div_ceil(SPEED) as i64,
            exercises: exercises.iter().filter(is_here).collect(),
        });
    }
    let mut left = course.most;
    let fitting = chapters.iter().take_while(|chapter| {
        left -= chapter.minutes();
        left >= 0
    });
    let count = fitting.count();
    chapters.truncate(count);
    chapters
}

fn schedule(tree: &Tree, exercises: &[Exercise], course: &Course) -> String {
    let chapters = chapters(tree, exercises, course);
    let Course { unit, sessions, .. } = course;
    let mut text = format!(
        "| {unit} | chapters | exercises | reading | exercises | total |\n\
         |---:|---|---|---:|---:|---:|\n"
    );
    let (mut reading, mut practice) = (0, 0);
    for (session, number) in divided(&chapters, *sessions).iter().zip(1..) {
        let titles = session
            .iter()
            .map(|Chapter { title, file, .. }| format!("[{title}]({file})"));
        let titles: Vec<String> = titles.collect();
        let ids = session.iter().flat_map(|it| &it.exercises);
        let ids: Vec<String> = ids.map(|it| format!("`{}`", it.id)).collect();
        let read: i64 = session.iter().map(|it| it.reading).sum();
        let write: i64 = session.iter().map(Chapter::practice).sum();
        text += &format!(
            "| {number} | {} | {} | {} | {} | {} |\n",
            titles.join(", "),
            ids.join(", "),
            time(read),
            time(write),
            time(read + write)
        );
        (reading, practice) = (reading + read, practice + write);
    }
    text + &format!(
        "| all | {} chapters | {} exercises | {} | {} | {} |\n",
        chapters.len(),
        chapters.iter().map(|it| it.exercises.len()).sum::<usize>(),
        time(reading),
        time(practice),
        time(reading + practice)
    )
}

/// Divides the chapters into sessions, in order, so that the longest session
/// is as short as possible.
fn divided<'a, 'b>(
    chapters: &'b [Chapter<'a>],
    sessions: usize,
) -> Vec<&'b [Chapter<'a>]> {
    let longest = chapters.iter().map(Chapter::minutes).max().unwrap_or(0);
    let mut most = longest;
    loop {
        let mut ends = vec![];
        let mut minutes = 0;
        for (at, chapter) in chapters.iter().enumerate() {
            if minutes + chapter.minutes() > most {
                ends.push(at);
                minutes = 0;
            }
            minutes += chapter.minutes();
        }
        ends.push(chapters.len());
        if ends.len() <= sessions {
            let mut start = 0;
            let parts = ends.into_iter().map(|end| {
                let part = &chapters[start..end];
                start = end;
                part
            });
            return parts.collect();
        }
        most += 1;
    }
}

fn time(minutes: i64) -> String {
    format!("{}:{:02} h", minutes / 60, minutes % 60)
}

/// Returns whether `exercises/wrong/` has an answer.
fn exists(tree: &Tree, answer: &str) -> bool {
    let Some((id, name)) = answer.split_once('/') else { return false };
    let patches = tree.get(&format!("exercises/wrong/{id}.diff"));
    let title = format!("=== {name}");
    patches.unwrap_or_default().lines().any(|line| line == title)
}

fn misconceptions(
    tree: &Tree,
    known: &[Misconception],
) -> Result<String, String> {
    let mut text = "| area | name | a learner believes | in fact | answers |\n\
         |---|---|---|---|---:|\n"
        .to_string();
    let mut seen = BTreeMap::new();
    for Misconception { id, area, belief, fact, answers } in known {
        for answer in answers {
            if !exists(tree, answer) {
                return Err(format!(
                    "{MISCONCEPTIONS}: {id} names the answer {answer}, which \
                     is not in exercises/wrong/"
                ));
            }
            if let Some(other) = seen.insert(answer, id) {
                return Err(format!(
                    "{MISCONCEPTIONS}: {answer} is in {other} and in {id}"
                ));
            }
        }
        text += &format!(
            "| {area} | `{id}` | {} | {} | {} |\n",
            escaped(belief),
            escaped(fact),
            answers.len()
        );
    }
    Ok(text)
}

fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace('*', "\\*")
}

/// Lists the exercises with their misconceptions.
fn mistakes(
    tree: &Tree,
    exercises: &[Exercise],
    known: &[Misconception],
) -> String {
    let mut text = "| exercise | known wrong answers | misconceptions |\n\
                    |---|---:|---|\n"
        .to_string();
    for Exercise { id, .. } in exercises {
        let patches = tree.get(&format!("exercises/wrong/{id}.diff"));
        let lines = patches.unwrap_or_default().lines();
        let count = lines.filter(|line| line.starts_with("=== ")).count();
        let prefix = format!("{id}/");
        let is_shown = |it: &&Misconception| {
            it.answers.iter().any(|answer| answer.starts_with(&prefix))
        };
        let names: Vec<String> = known
            .iter()
            .filter(is_shown)
            .map(|it| format!("`{}`", it.id))
            .collect();
        text += &format!("| `{id}` | {count} | {} |\n", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_keep_the_order_and_are_even() {
        let chapter = |reading| Chapter {
            title: "",
            file: "",
            reading,
            exercises: vec![],
        };
        let chapters: Vec<Chapter> = [5, 5, 10, 1, 9, 3].map(chapter).into();
        let sessions = divided(&chapters, 4);
        let minutes = sessions
            .iter()
            .map(|it| it.iter().map(Chapter::minutes).sum::<i64>());
        assert_eq!(minutes.collect::<Vec<_>>(), [10, 10, 10, 3]);
    }

    /// Promise: Every misconception names known wrong answers that exist.
    #[test]
    fn a_misconception_names_answers_that_exist() {
        let tree = Tree::default()
            .with("exercises/wrong/a.diff", "=== swapped\nsays: no\n");
        let row = |answer: &str| Misconception {
            id: "order".to_string(),
            area: "kernels".to_string(),
            belief: "i <= n".to_string(),
            fact: "i < n".to_string(),
            answers: vec![answer.to_string()],
        };
        let table = misconceptions(&tree, &[row("a/swapped")]).unwrap();
        assert!(table.contains("| `order` | i &lt;= n |"), "{table}");
        let error = misconceptions(&tree, &[row("a/turned")]).unwrap_err();
        assert!(error.contains("a/turned"), "{error}");
        let twice = [row("a/swapped"), row("a/swapped")];
        assert!(misconceptions(&tree, &twice).is_err());
    }
}
