//! An exercise with levels, such as `my_engine`.
//!
//! One solution file contains the code of all levels. A block of lines belongs
//! to some of the levels, and the solution of a level is what is left of the
//! file:
//! ```text
//! // LEVELS 3-6
//! the lines of levels 3 to 6
//! // LEVELS 7-
//! the lines from level 7 on
//! // END LEVELS
//! ```

use std::fs;

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::course::{Contents, Exercise, Level};
use crate::exercises::program::Tier;
use crate::exercises::status;
use crate::progress::Progress;
use crate::terminal::{say, wrapped};

/// Returns the number of levels that passed when the exercise was last
/// checked.
pub(crate) fn passed(exercise: &Exercise, progress: &Progress) -> usize {
    status::tier(exercise, progress).map_or(0, |tier| tier.yours)
}

/// Returns the same number for the check itself, if the exercise has levels.
pub(crate) fn previously_passed(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Option<usize> {
    let count = || passed(exercise, &Progress::load(checkout));
    exercise.has_levels().then(count)
}

/// Returns the next level and its number.
fn next(exercise: &Exercise, passed: usize) -> Option<(usize, &Level)> {
    exercise.levels.get(passed).map(|level| (passed + 1, level))
}

/// Removes the option of this name and parses its value, the number of a
/// level.
pub(crate) fn number(
    exercise: &Exercise,
    option: &str,
    word: Option<&str>,
) -> Result<Option<usize>, Stop> {
    let Some(word) = word else { return Ok(None) };
    let (id, all) = (&exercise.id, exercise.levels.len());
    if all == 0 {
        return Err(Stop::Usage(format!(
            "{option} is for exercises with levels, and {id} has no levels"
        )));
    }
    let number = word.parse().ok().filter(|it| (1..=all).contains(it));
    number.map(Some).ok_or_else(|| {
        Stop::Usage(format!(
            "{option} is {word:?}, and {id} has the levels 1 to {all}"
        ))
    })
}

/// Returns the hints of a level, which is the next one by default, or of an
/// exercise without levels. The first value is their key in the progress.
pub(crate) fn hints<'a>(
    exercise: &'a Exercise,
    level: Option<usize>,
    progress: &Progress,
) -> (String, &'a [String]) {
    let passed = level.map_or_else(|| passed(exercise, progress), |it| it - 1);
    match next(exercise, passed) {
        Some((number, level)) => {
            let id = format!("{}_{number}", exercise.id);
            (id, &level.hints)
        }
        None => (exercise.id.clone(), &exercise.hints),
    }
}

/// Prints the task of the next level, and returns its page.
pub(crate) fn tell(exercise: &Exercise, tier: Option<Tier>) -> Option<&str> {
    let passed = tier.map_or(0, |tier| tier.yours);
    let (number, level) = next(exercise, passed)?;
    let Level { name, chapter, task, size, .. } = level;
    let all = exercise.levels.len();
    let words = format!("Level {number} of {all}, {name}: {task} ({size})");
    for line in wrapped(&words) {
        say!("{line}");
    }
    Some(chapter)
}

/// Prints what a learner whose levels all pass has made.
pub(crate) fn celebrate(checkout: &Checkout, exercise: &Exercise) {
    let Exercise { id, file, made, levels, .. } = exercise;
    let text = fs::read_to_string(checkout.exercises.join(file));
    let text = text.unwrap_or_default();
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//")
    };
    let lines = text.lines().filter(is_code).count();
    let words = format!(
        "All {} levels pass. You own {made}, and you wrote it: {lines} lines \
         of code.",
        levels.len()
    );
    for line in wrapped(&words) {
        say!("{line}");
    }
    say!("Watch it train, next to ours: cargo learn run {id}");
}

/// Lists the levels and marks those that pass.
pub(crate) fn list(
    exercise: &Exercise,
    progress: &Progress,
    contents: &Contents,
) {
    let passed = passed(exercise, progress);
    let all = exercise.levels.len();
    say!();
    say!("{}: {passed} of {all} levels pass", exercise.id);
    for (at, level) in exercise.levels.iter().enumerate() {
        let word = match at.cmp(&passed) {
            std::cmp::Ordering::Less => "passed",
            std::cmp::Ordering::Equal => "next",
            std::cmp::Ordering::Greater => "",
        };
        let number = contents.number(&level.chapter);
        let chapter = number.map_or(String::new(), |it| it.to_string());
        say!("  {word:<7} {:>2}  chapter {chapter:>2}  {}", at + 1, level.name);
    }
}

/// Extracts the solution of a level. An error names the line.
pub fn solution_at(text: &str, level: usize) -> Result<String, String> {
    let mut solution = String::new();
    let mut is_in = true;
    for (at, line) in text.lines().enumerate() {
        match line.trim().strip_prefix("// LEVELS ") {
            Some(range) => {
                is_in = contains(range, level).ok_or_else(|| {
                    format!("line {}: {range} is not a range of levels", at + 1)
                })?;
            }
            None if line.trim() == "// END LEVELS" => is_in = true,
            None if is_in => push(&mut solution, line),
            None => {}
        }
    }
    Ok(solution)
}

/// Appends a line, but no blank line after another one or next to a brace.
fn push(solution: &mut String, line: &str) {
    let before = solution.trim_end_matches('\n');
    let is_gap = solution.ends_with("\n\n");
    if line.is_empty() && (is_gap || before.ends_with('{')) {
        return;
    }
    if line.trim() == "}" && is_gap {
        solution.truncate(before.len() + 1);
    }
    solution.push_str(line);
    solution.push('\n');
}

/// Returns whether a range such as `3-6`, `7-` or `-2` contains a level.
fn contains(range: &str, level: usize) -> Option<bool> {
    let (first, last) = range.split_once('-')?;
    let number = |text: &str, open: usize| match text {
        "" => Some(open),
        digits => digits.parse().ok(),
    };
    Some((number(first, 0)?..=number(last, usize::MAX)?).contains(&level))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &str = "fn f() {

    // LEVELS 1-2
    one();

    // LEVELS 3-
    three();
    // END LEVELS
}
";

    #[test]
    fn the_solution_of_a_level_has_the_lines_of_that_level() {
        let lines_of = |level| solution_at(SOLUTION, level).unwrap();
        assert_eq!(lines_of(0), "fn f() {\n}\n");
        assert_eq!(lines_of(2), "fn f() {\n    one();\n}\n");
        assert_eq!(lines_of(3), "fn f() {\n    three();\n}\n");
        let error = solution_at("a\n// LEVELS three\n", 1).unwrap_err();
        assert!(error.starts_with("line 2"), "{error}");
    }
}
