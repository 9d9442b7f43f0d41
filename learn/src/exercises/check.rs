//! `cargo learn check`: is the answer right, and if not, why?

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course::{self, Exercise};
use crate::exercises::program::{self, Verdict};
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::speech::{filled, say};

pub(crate) const COMMAND: Command = Command {
    name: "check",
    usage: "[EXERCISE]",
    summary: "check an exercise; without a name the next one",
    page: "\
Compiles the file of the exercise, runs its check and says what it found: what
was checked, with which values, yours and the right ones, the rule that is to
blame, and the tape as text and as a picture. It keeps your progress.

Exit code 0 means solved, 1 not solved. A check that needs an OpenCL device is
skipped where there is none, which is not solved either. Without the companion
the same check runs by `cargo test -p exercises --test EXERCISE`.

A check is stopped after 10 seconds, RUNGRAD_CHECK_LIMIT=SECONDS changes that.",
    run,
};

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    let (ids, _) = Words::new(COMMAND.name, args).rest(1)?;
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let exercise = match ids.first() {
        Some(id) => course::find(&exercises, id)?,
        None => match status::next(&exercises, &progress, checkout, &[]) {
            Some(exercise) => exercise,
            None => {
                say!("Every exercise is solved. Well done.");
                return Ok(());
            }
        },
    };
    let status = examine(checkout, &exercises, exercise)?;
    let progress = Progress::load(checkout);
    if matches!(status, Status::Solved | Status::Skipped) {
        let id = exercise.id.as_str();
        match status::next(&exercises, &progress, checkout, &[id]) {
            Some(it) => {
                say!("Next: cargo learn check {} ({})", it.id, it.title)
            }
            None if status == Status::Solved => {
                say!("That was the last one: every exercise is solved.");
            }
            None => {}
        }
    }
    match status {
        Status::Solved => Ok(()),
        _ => Err(Stop::Said(1)),
    }
}

/// Checks the exercise, says what was found and what helps, and keeps it.
pub(crate) fn examine(
    checkout: &Checkout,
    exercises: &[Exercise],
    exercise: &Exercise,
) -> Result<Status, Stop> {
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    say!("{}: {}", exercise.id, exercise.title);
    if !file.is_file() {
        return Err(Stop::Failed(format!(
            "{place} is missing; `cargo learn reset {}` brings the task back",
            exercise.id
        )));
    }
    // The verdict belongs to the file as it was when the check began.
    let fingerprint = status::fingerprint(exercise, checkout);
    let verdict = verdict(checkout, exercise, &place)?;
    let status = match verdict {
        Verdict::Solved => Status::Solved,
        Verdict::Failing => Status::Failing,
        Verdict::ToDo => Status::ToDo,
        Verdict::Skipped => Status::Skipped,
    };
    say!();
    // Another command may have saved while this one was busy.
    let mut progress = Progress::load(checkout);
    let is_first = status::is_fresh(exercises, &progress);
    status.keep(exercise, &mut progress, &fingerprint);
    progress.save_or_say();
    if status == Status::Solved {
        say!("Read on: book/src/{}, \"Where next\"", exercise.chapter);
        say!("The hints, if you are curious: cargo learn hint {}", exercise.id);
    } else {
        if status == Status::ToDo {
            if is_first {
                say!("This is your first task, and it is meant to fail now:");
                say!("edit {place}, save, and check again.");
            }
            let Exercise { task, size, .. } = exercise;
            for line in filled(&format!("{task} ({size})")) {
                say!("{line}");
            }
        }
        if status != Status::Skipped {
            say!("A hint: cargo learn hint {}", exercise.id);
        }
    }
    Ok(status)
}

/// Builds the check, runs it, and prints what it said.
fn verdict(
    checkout: &Checkout,
    exercise: &Exercise,
    place: &str,
) -> Result<Verdict, Stop> {
    let id = exercise.id.as_str();
    let log = checkout.log(&format!("check-{id}"))?;
    let folder = &checkout.exercises;
    let Some(programs) = program::build(checkout, folder, &[id], &log)? else {
        let complaints = program::complaints(checkout, &log);
        let is_of_the_compiler =
            |line: &String| line.trim_start().starts_with("--> ");
        if !complaints.iter().any(is_of_the_compiler) {
            for line in &complaints {
                say!("{line}");
            }
            let log = checkout.shown(&log);
            return Err(Stop::Failed(format!(
                "cargo could not build the check, for no reason in {place}; \
                 the whole log is {log}"
            )));
        }
        let is_yours =
            complaints.iter().any(|line| line.contains(&exercise.file));
        say!();
        match is_yours {
            true => say!("failing: {place} does not compile."),
            false => say!("failing: the check of {place} does not compile."),
        }
        say!();
        for line in complaints.iter().take(60) {
            say!("{line}");
        }
        return Ok(Verdict::Failing);
    };
    let log = checkout.log(&format!("check-{id}"))?;
    let (verdict, said) = program::run(id, &programs[0], &log)?;
    for line in said.lines() {
        say!("{line}");
    }
    Ok(verdict)
}
