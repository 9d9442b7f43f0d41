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
    usage: "[EXERCISE] [--level N] [--number N]",
    summary: "a hint for an exercise, a little more each time",
    page: "\
Prints a hint for the exercise, or for the next one without a name. The first is
a nudge, and the last is nearly the full answer. Each call prints the next hint
and saves how many you have seen. For an exercise with levels the hints are those
of the next level, or with --level those of that level.

--number prints the hint with that number, and saves nothing.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let level = args.option("--level")?;
    let number = args.option("--number")?;
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let exercise = match ids.first() {
        Some(id) => course::find(&exercises, id)?,
        None => match status::next(&exercises, &progress, checkout, &[]) {
            Some(exercise) => exercise,
            None => {
                say!("Every exercise is solved. Name the one that you mean.");
                return Ok(());
            }
        },
    };
    let level = levels::number(exercise, "--level", level.as_deref())?;
    let is_last = show(checkout, exercise, level, number.as_deref())?;
    let id = &exercise.id;
    let of_level = level.map_or(String::new(), |it| format!(" --level {it}"));
    match is_last {
        false => say!("Next hint: cargo learn hint {id}{of_level}"),
        true => say!("Check your answer: cargo learn check {id}"),
    }
    Ok(())
}

/// Prints the next hint of the exercise, or the one with this number. For an
/// exercise with levels it is a hint for the next level, or for `level`.
/// Returns whether it is the last one.
pub(crate) fn show(
    checkout: &Checkout,
    exercise: &Exercise,
    level: Option<usize>,
    number: Option<&str>,
) -> Result<bool, Stop> {
    let progress = Progress::load(checkout);
    let (kept, hints) = levels::hints(exercise, level, &progress);
    let count = hints.len();
    let seen = saved_count(&kept, &progress);
    let given = number;
    let number = match given {
        None => (seen + 1).min(count),
        Some(word) => word
            .parse()
            .ok()
            .filter(|number| (1..=count).contains(number))
            .ok_or_else(|| {
                Stop::Usage(format!(
                    "--number is {word:?}, and {} has the hints 1 to {count}",
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
    if given.is_none() && number > seen {
        Progress::update_or_warn(checkout, |progress| {
            progress.set(KIND, &kept, &number.to_string());
        });
    }
    Ok(number == count)
}

/// Returns the number of hints shown so far.
pub(crate) fn shown_count(exercise: &Exercise, progress: &Progress) -> usize {
    saved_count(&levels::hints(exercise, None, progress).0, progress)
}

fn saved_count(kept: &str, progress: &Progress) -> usize {
    let seen = progress.get(KIND, kept);
    seen.and_then(|it| it.parse().ok()).unwrap_or(0)
}

const KIND: &str = "hint";
