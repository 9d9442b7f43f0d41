//! The table of exercises, `exercises/exercises.toml`.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::exercises::variant::Again;
use crate::nearest::suggestion;

/// One row of the table.
pub struct Exercise {
    /// The identifier, which never changes.
    pub id: String,
    pub title: String,
    /// The page of the exercise, below `book/src/`.
    pub chapter: String,
    /// The learner's file, below the folder of exercises.
    pub file: String,
    /// A requirement of the machine, such as `opencl`.
    pub needs: Vec<String>,
    /// The task in one sentence, followed by its size, such as "two lines".
    pub task: String,
    pub size: String,
    /// From 1, what the page has just shown, to 4, an evening's work.
    pub difficulty: u8,
    /// The expected time for a learner who has read the chapter.
    pub minutes: u32,
    /// From a nudge to nearly the full answer.
    pub hints: Vec<String>,
    /// Whether the check trains a network, which needs optimized code.
    pub trains: bool,
    /// Already solved when it is handed out: the solution is the stub.
    pub free: bool,
    /// The variants for `cargo learn again`.
    pub again: Option<Again>,
    /// Other correct answers, which must pass, below `exercises/right/ID/`.
    pub right: Vec<String>,
    /// The thing that a learner who has passed all levels owns, such as "an autograd
    /// engine". Empty for an exercise without levels.
    pub made: String,
    /// The steps of an exercise with levels. Empty for most exercises.
    pub levels: Vec<Level>,
}

/// A selection of exercises with one goal, in their order.
pub(crate) struct Track {
    pub(crate) id: String,
    pub(crate) title: String,
    /// The ids of its exercises.
    pub(crate) exercises: Vec<String>,
}

/// The part of the course that a check compiles. Less compiles faster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Part1,
    /// Part 2 and the plain devices of Part 3.
    Kernels,
    All,
}

impl Scope {
    /// Returns the arguments of cargo.
    pub(crate) fn features(self) -> &'static [&'static str] {
        match self {
            Scope::Part1 => &["--no-default-features"],
            Scope::Kernels => {
                &["--no-default-features", "--features", "opencl"]
            }
            Scope::All => &[],
        }
    }
}

/// One level of an exercise with levels.
pub struct Level {
    pub name: String,
    /// The page of the level, below `book/src/`.
    pub chapter: String,
    /// The task in one sentence, followed by its size.
    pub task: String,
    pub size: String,
    /// From a nudge to nearly the full answer.
    pub hints: Vec<String>,
}

impl Exercise {
    /// Returns the part that the exercise belongs to, such as `part1`.
    pub(crate) fn part(&self) -> &str {
        let folder = self.file.split('/').next().unwrap_or_default();
        folder.split('_').next().unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Exercise {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let exercise = Exercise {
            id: row.required("id")?,
            title: row.required("title")?,
            chapter: row.required("chapter")?,
            file: row.required("file")?,
            needs: row.required("needs")?,
            task: row.required("task")?,
            size: row.required("size")?,
            difficulty: row.required("difficulty")?,
            minutes: row.required("minutes")?,
            hints: row.required("hints")?,
            trains: row.optional("trains").unwrap_or(false),
            free: row.optional("free").unwrap_or(false),
            again: row.optional("again"),
            right: row.optional("right").unwrap_or_default(),
            made: row.optional("made").unwrap_or_default(),
            levels: row.optional("level").unwrap_or_default(),
        };
        row.finalize(None)?;
        Ok(exercise)
    }
}

impl<'de> Deserialize<'de> for Track {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let track = Track {
            id: row.required("id")?,
            title: row.required("title")?,
            exercises: row.required("exercises")?,
        };
        row.finalize(None)?;
        Ok(track)
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let level = Level {
            name: row.required("name")?,
            chapter: row.required("chapter")?,
            task: row.required("task")?,
            size: row.required("size")?,
            hints: row.required("hints")?,
        };
        row.finalize(None)?;
        Ok(level)
    }
}

impl Exercise {
    /// Returns whether the exercise has levels. Learners return to such an
    /// exercise, so it is never suggested as the next one.
    pub fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Returns the package that contains the check.
    pub fn package(&self) -> &'static str {
        if self.has_levels() { "my_engine" } else { "exercises" }
    }

    /// Returns the part of the course that the check compiles.
    pub(crate) fn scope(&self) -> Scope {
        match self.part() {
            "part1" => Scope::Part1,
            "part2" if !self.has_levels() => Scope::Kernels,
            _ => Scope::All,
        }
    }

    /// Formats the expected time.
    pub(crate) fn effort(&self) -> String {
        let time = match self.minutes {
            minutes @ ..90 => format!("{minutes} minutes"),
            minutes => format!("{} hours", f64::from(minutes) / 60.0),
        };
        format!("difficulty {} of 4, about {time}", self.difficulty)
    }
}

/// The table of contents of the book, which numbers the chapters.
pub(crate) struct Contents(String);

impl Contents {
    /// Reads the table of contents. Without the book, no chapter has a number.
    pub(crate) fn read(checkout: &Checkout) -> Contents {
        let file = checkout.root.join("book/src/SUMMARY.md");
        Contents(fs::read_to_string(file).unwrap_or_default())
    }

    /// Returns the pages in their order.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &str> {
        let lines = self.0.lines().filter(|line| line.contains('['));
        lines.filter_map(|line| {
            let (_, page) = line.rsplit_once("](")?;
            page.strip_suffix(')').filter(|page| !page.is_empty())
        })
    }

    /// Returns the title of a page.
    pub(crate) fn title(&self, page: &str) -> Option<&str> {
        let end = format!("]({page})");
        let before = self.0.lines().find_map(|line| line.strip_suffix(&*end));
        before?.trim_start().trim_start_matches("- ").strip_prefix('[')
    }

    /// Returns the number of a page among the chapters, counting drafts as
    /// mdBook does.
    pub(crate) fn number(&self, page: &str) -> Option<usize> {
        let chapters = self.0.lines().filter(|line| line.starts_with("- ["));
        let leads = |line: &str| line.ends_with(&format!("]({page})"));
        let mut numbered = (1..).zip(chapters);
        numbered.find(|(_, line)| leads(line)).map(|(number, _)| number)
    }
}

/// Returns all exercises, part by part, in the order of the chapters. In each
/// part, those with levels are the last, because learners return to them. It
/// is an error if the table is missing.
pub fn exercises(checkout: &Checkout) -> Result<Vec<Exercise>, Stop> {
    let (mut exercises, _) = table(checkout)?;
    let contents = Contents::read(checkout);
    let mut parts = Vec::new();
    for exercise in &exercises {
        let part = exercise.part().to_string();
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    exercises.sort_by_cached_key(|it| {
        let part = parts.iter().position(|part| part == it.part());
        let number = contents.number(&it.chapter).unwrap_or(usize::MAX);
        (part, it.has_levels(), number)
    });
    Ok(exercises)
}

/// Returns the tracks.
pub(crate) fn tracks(checkout: &Checkout) -> Result<Vec<Track>, Stop> {
    table(checkout).map(|(_, tracks)| tracks)
}

fn table(checkout: &Checkout) -> Result<(Vec<Exercise>, Vec<Track>), Stop> {
    let file = checkout.root.join("exercises/exercises.toml");
    let unreadable = |why: String| {
        let place = checkout.shown(&file);
        Stop::Failed(format!(
            "cannot read {place}: {why}; `git checkout {place}` restores it"
        ))
    };
    let text =
        fs::read_to_string(&file).map_err(|it| unreadable(it.to_string()))?;
    read(&text).map_err(unreadable)
}

fn read(text: &str) -> Result<(Vec<Exercise>, Vec<Track>), String> {
    let mut document = toml_span::parse(text).map_err(one_line)?;
    let mut table = TableHelper::new(&mut document).map_err(one_line)?;
    let rows: Vec<Exercise> = table.required("exercise").map_err(one_line)?;
    let tracks: Vec<Track> = table.optional("track").unwrap_or_default();
    table.finalize(None).map_err(one_line)?;
    let ids: Vec<&str> = rows.iter().map(|it| it.id.as_str()).collect();
    for Track { id, exercises, .. } in &tracks {
        let stray = exercises.iter().find(|it| !ids.contains(&it.as_str()));
        if let Some(stray) = stray {
            return Err(format!("the track {id} names no exercise: {stray}"));
        }
    }
    Ok((rows, tracks))
}

/// Joins an error into one line, because the TOML parser may use two.
fn one_line(error: impl Display) -> String {
    error.to_string().lines().collect::<Vec<_>>().join(", ")
}

/// Returns the exercise that the command line names, which is required.
pub(crate) fn required<'a>(
    exercises: &'a [Exercise],
    ids: &[String],
) -> Result<&'a Exercise, Stop> {
    let Some(id) = ids.first() else {
        return Err(Stop::Usage(
            "name the exercise; `cargo learn list` shows all exercises"
                .to_string(),
        ));
    };
    find(exercises, id)
}

/// Returns the exercise with that id, or the only one whose id begins with
/// `word` or contains it. A file is named as its exercise is, so `word` may
/// also be the name or the path of a file. If several match, the error lists
/// them; if none matches, it suggests the nearest.
pub fn find<'a>(
    exercises: &'a [Exercise],
    word: &str,
) -> Result<&'a Exercise, Stop> {
    let is_file = word.contains('/') || word.contains('.');
    let stem = Path::new(word).file_stem().filter(|_| is_file);
    let id = stem.and_then(|it| it.to_str()).unwrap_or(word);
    if let Some(exercise) = exercises.iter().find(|it| it.id == id) {
        return Ok(exercise);
    }
    let that = |fits: fn(&str, &str) -> bool| -> Vec<&Exercise> {
        let fits = |it: &&Exercise| !id.is_empty() && fits(&it.id, id);
        exercises.iter().filter(fits).collect()
    };
    let mut meant = that(|own, id| own.starts_with(id));
    if meant.is_empty() {
        meant = that(|own, id| own.contains(id));
    }
    if let [exercise] = meant[..] {
        return Ok(exercise);
    }
    let ids = |of: &[&'a Exercise]| -> Vec<&'a str> {
        of.iter().map(|it| it.id.as_str()).collect()
    };
    if !meant.is_empty() {
        let several = ids(&meant).join(", ");
        return Err(Stop::Usage(format!(
            "{id:?} is part of the names of several exercises: {several}; \
             write more of the name"
        )));
    }
    let all = ids(&exercises.iter().collect::<Vec<_>>());
    Err(Stop::Usage(format!(
        "there is no exercise {id:?}{}; `cargo learn list` shows all exercises",
        suggestion(id, &all)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "
[[exercise]]
id = 'one'
title = 'The first'
chapter = 'backward-by-hand.md'
file = 'part1_cpu/one.rs'
needs = []
task = 'Do it.'
size = 'one line'
difficulty = 1
minutes = 10
hints = ['a', 'b', 'c']
";

    #[test]
    fn an_unknown_key_is_an_error() {
        let table = TABLE.replace("size", "sizes");
        assert!(read(&table).is_err());
        assert!(read(&format!("{TABLE}more = 1")).is_err());
    }

    #[test]
    fn an_abbreviated_id_finds_one_exercise_or_lists_several() {
        let called = |id: &str| TABLE.replace("'one'", &format!("'{id}'"));
        let ids = ["mul_rule", "mul_kernel", "tiled_matmul", "ties"];
        let (rows, _) = read(&ids.map(called).concat()).unwrap();
        let id = |part| find(&rows, part).map(|it| it.id.as_str());
        assert_eq!(id("mul_r").ok(), Some("mul_rule"));
        assert_eq!(id("kernel").ok(), Some("mul_kernel"));
        assert_eq!(id("tile").ok(), Some("tiled_matmul"));
        let said = id("mul").err().unwrap();
        let sentence = said.sentence().unwrap();
        assert!(sentence.contains(": mul_rule, mul_kernel; write more"));
        let said = id("").err().unwrap();
        assert!(said.sentence().unwrap().contains("there is no exercise"));
    }

    #[test]
    fn a_track_names_exercises_of_the_table() {
        let track = |id: &str| {
            let row =
                format!("id = 'short'\ntitle = 'A'\nexercises = ['{id}']");
            read(&format!("[[track]]\n{row}\n{TABLE}"))
        };
        assert_eq!(track("one").unwrap().1[0].exercises, ["one"]);
        let error = track("two").err().unwrap();
        assert_eq!(error, "the track short names no exercise: two");
    }

    #[test]
    fn a_page_has_a_title_and_a_number() {
        let text = "[Introduction](a.md)\n- [B](b.md)\n  - [C [d]](c.md)\n";
        let contents = Contents(text.to_string());
        for (page, title) in
            [("a.md", "Introduction"), ("b.md", "B"), ("c.md", "C [d]")]
        {
            assert_eq!(contents.title(page), Some(title));
        }
        assert_eq!(contents.title("d.md"), None);
        assert_eq!(
            (contents.number("b.md"), contents.number("a.md")),
            (Some(1), None)
        );
    }

    #[test]
    fn a_file_finds_its_exercise() {
        let called = |id: &str| TABLE.replace("'one'", &format!("'{id}'"));
        let table = ["mul_rule", "my_kernels"].map(called).concat();
        let (rows, _) = read(&table).unwrap();
        let id = |word| find(&rows, word).map(|it| it.id.as_str()).ok();
        for word in ["mul_rule.rs", "./exercises/part1_cpu/mul_rule.rs", "mul"]
        {
            assert_eq!(id(word), Some("mul_rule"), "{word}");
        }
        assert_eq!(id("part2_gpu/my_kernels.cl"), Some("my_kernels"));
        assert_eq!(id("exercises/part1_cpu/"), None);
    }

    /// Promise: A damaged exercise table is rejected in one line.
    #[test]
    fn a_damaged_table_is_read_or_rejected_in_one_line() {
        use testkit::damage::damaged;
        use testkit::random::{Random, cases, first_seed};

        let table = TABLE.repeat(2);
        for seed in first_seed()..first_seed() + cases(2000) {
            let text = damaged(table.as_bytes(), &mut Random(seed));
            let Ok(text) = String::from_utf8(text) else { continue };
            if let Err(why) = read(&text) {
                assert_eq!(why.lines().count(), 1, "seed {seed}: {why}");
            }
        }
    }
}
