//! `cargo learn diff`: compares the learner's answer with ours line by line.

use std::fs;

use similar::TextDiff;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::stub::SolutionFile;
use crate::exercises::{files, levels, solution};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "diff",
    usage: "EXERCISE [--task]",
    summary: "compare your answer with our solution, once it passes",
    page: "\
Compares your file with our solution: lines with a minus are only in yours, and
lines with a plus only in ours. Before yours passes, it asks you to try a hint
first, and compares when you ask again, as `solution` does.

With --task it shows how an update has changed the task since you began.",
    run,
};

/// The number of equal lines shown around a change.
const AROUND: usize = 3;

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let is_task = args.flag("--task");
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::required(&exercises, &ids)?;
    if is_task {
        return show_task(checkout, exercise);
    }
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    let yours = fs::read(&file).map_err(|error| {
        Stop::Failed(format!(
            "cannot read {place}: {error}; `cargo learn reset {}` restores the \
             task",
            exercise.id
        ))
    })?;
    if !solution::may_be_shown(checkout, exercise, "compare")? {
        return Ok(());
    }
    let ours = match exercise.has_levels() {
        true => {
            let progress = Progress::load(checkout);
            let level = levels::passed(exercise, &progress);
            SolutionFile::at_level(checkout, exercise, level)?
        }
        false => SolutionFile::read(checkout, exercise)?.plain,
    };
    let yours = String::from_utf8_lossy(&yours);
    let hunks = hunks(&yours, &ours);
    if hunks.is_empty() {
        say!("Your file and our solution are the same, line by line.");
        return Ok(());
    }
    say!("--- yours: {place}");
    say!("+++ ours");
    for line in &hunks {
        say!("{line}");
    }
    Ok(())
}

/// Prints how the task has changed since the learner began.
fn show_task(checkout: &Checkout, exercise: &Exercise) -> Result<(), Stop> {
    let Some((old, new)) = files::changed_task(checkout, exercise) else {
        say!("The task has not changed since you began.");
        return Ok(());
    };
    say!("--- the task when you began");
    say!("+++ the task now; `cargo learn reset {}` starts it", exercise.id);
    for line in hunks(&old, &new) {
        say!("{line}");
    }
    Ok(())
}

/// Returns the changes as a unified diff, which is empty for equal texts.
pub(super) fn hunks(old: &str, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let unified = unified.context_radius(AROUND).missing_newline_hint(false);
    unified.to_string().lines().map(|it| it.trim_end().to_string()).collect()
}
