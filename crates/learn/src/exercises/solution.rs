//! `cargo learn solution`: shows our solution once the learner's passes, or
//! when asked twice.

use crate::checkout::Checkout;
use crate::class;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::status::Status;
use crate::exercises::stub::SolutionFile;
use crate::exercises::{diff, levels};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "solution",
    usage: "EXERCISE [--level N]",
    summary: "our solution of an exercise, once yours passes",
    page: "\
Prints our solution of the exercise when yours is solved. Before that it asks
you to try a hint first, and prints the solution when you ask again. For an
exercise with levels it prints what the next level changes in our solution, or
with --level what that level changes. A class may lock solutions until a day
(`cargo learn help class`).",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let level = args.option("--level")?;
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::required(&exercises, &ids)?;
    let level = levels::number(exercise, "--level", level.as_deref())?;
    if !may_be_shown(checkout, exercise, "see the solution")? {
        return Ok(());
    }
    show(checkout, exercise, level)
}

/// Prints our solution, or what a level changes in it.
pub(crate) fn show(
    checkout: &Checkout,
    exercise: &Exercise,
    level: Option<usize>,
) -> Result<(), Stop> {
    if exercise.has_levels() {
        return step(checkout, exercise, level);
    }
    let solution = SolutionFile::read(checkout, exercise)?;
    for line in solution.plain.lines() {
        say!("{line}");
    }
    Ok(())
}

/// Prints what a level changes in our solution.
fn step(
    checkout: &Checkout,
    exercise: &Exercise,
    level: Option<usize>,
) -> Result<(), Stop> {
    let standing = levels::passed(exercise, &Progress::load(checkout));
    let level = level.unwrap_or(standing + 1).min(exercise.levels.len());
    let stand = |level| SolutionFile::at_level(checkout, exercise, level);
    let (old, new) = (stand(level - 1)?, stand(level)?);
    let name = &exercise.levels[level - 1].name;
    say!("What level {level}, {name}, changes in our solution:");
    for line in diff::hunks(&old, &new) {
        say!("{line}");
    }
    Ok(())
}

/// Returns whether the solution may be shown: the exercise is solved, or this
/// is the second request. The first request prints a warning.
pub(crate) fn may_be_shown(
    checkout: &Checkout,
    exercise: &Exercise,
    what: &str,
) -> Result<bool, Stop> {
    class::require_unlocked(checkout)?;
    let id = &exercise.id;
    let progress = Progress::load(checkout);
    let is_done = matches!(
        Status::saved(exercise, &progress, checkout),
        Status::Solved | Status::Stale
    );
    if is_done || progress.get(KIND, id).is_some() {
        return Ok(true);
    }
    Progress::update(checkout, |progress| progress.set(KIND, id, "asked"))?;
    say!("{id} is not solved yet. A hint may be enough:");
    say!("  cargo learn hint {id}");
    say!("Ask again to {what}.");
    Ok(false)
}

const KIND: &str = "solution";
