//! `cargo learn hint`: prints one more hint each time.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::levels;
use crate::exercises::status;
use crate::progress::Progress;
use crate::terminal::{say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "hint",
    usage: "[EXERCISE] [--level N]",
    summary: "a hint for an exercise, a little more each time",
    page: "\
Prints a hint for the exercise, or for the next one without a name. The first is
a nudge, and the last nearly the full answer. Each call prints the next hint and
remembers how far you were. --level prints the hint with that number and
remembers nothing.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let level = args.option("--level")?;
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let exercise = match ids.first() {
        Some(id) => course::find(&exercises, id)?,
        None => match status::next(&exercises, &progress, checkout, &[]) {
            Some(exercise) => exercise,
            None => {
                say!("Every exercise is solved: name the one you mean.");
                return Ok(());
            }
        },
    };
    show(checkout, exercise, level.as_deref())
}

/// Prints the next hint of the exercise, or of a level.
pub(crate) fn show(
    checkout: &Checkout,
    exercise: &Exercise,
    level: Option<&str>,
) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    let (kept, hints) = levels::hints(exercise, &progress);
    let count = hints.len();
    let seen = shown_count(exercise, &progress);
    let number = match level {
        None => (seen + 1).min(count),
        Some(word) => word
            .parse()
            .ok()
            .filter(|number| (1..=count).contains(number))
            .ok_or_else(|| {
                Stop::Usage(format!(
                    "--level is {word:?}, and {} has the hints 1 to {count}",
                    exercise.id
                ))
            })?,
    };
    let id = &exercise.id;
    match kept.strip_prefix(&format!("{id}_")) {
        Some(level) => {
            say!("Hint {number} of {count} for level {level} of {id}");
        }
        None => say!("Hint {number} of {count} for {id}"),
    }
    say!();
    for line in wrapped(&hints[number - 1]) {
        say!("{line}");
    }
    say!();
    if level.is_none() && number > seen {
        Progress::update_or_warn(checkout, |progress| {
            progress.set(KIND, &kept, &number.to_string());
        });
    }
    match number < count {
        true => say!("The next hint: cargo learn hint {id}"),
        false => say!("Check your answer: cargo learn check {id}"),
    }
    Ok(())
}

/// Returns the number of hints shown so far.
pub(crate) fn shown_count(exercise: &Exercise, progress: &Progress) -> usize {
    let (kept, _) = levels::hints(exercise, progress);
    let seen = progress.get(KIND, &kept);
    seen.and_then(|it| it.parse().ok()).unwrap_or(0)
}

const KIND: &str = "hint";
