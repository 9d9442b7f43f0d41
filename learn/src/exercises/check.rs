//! `cargo learn check`: is the answer right, and if not, why?

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course::{self, Exercise};
use crate::exercises::program::{self, Verdict};
use crate::exercises::renamed;
use crate::exercises::status::{self, Status};
use crate::process;
use crate::progress::Progress;
use crate::terminal::{filled, say};

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

A check is stopped when one of its threads has used 10 seconds of the
processor's time, which RUNGRAD_CHECK_LIMIT=SECONDS changes, when six times as
much has passed by the clock, or when it takes more than 1 GiB of memory; of
what your code prints it shows 200 lines.",
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
    if status.is_solved() || status == Status::Skipped {
        let id = exercise.id.as_str();
        match status::next(&exercises, &progress, checkout, &[id]) {
            Some(it) => {
                say!("Next: cargo learn check {} ({})", it.id, it.title)
            }
            None if status.is_solved() => {
                say!("That was the last one: every exercise is solved.");
            }
            None => {}
        }
    }
    match status.is_solved() {
        true => Ok(()),
        false => Err(Stop::Said(1)),
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
    // Another check of this exercise would build into the same place.
    let alone = checkout.alone(&format!("check-{}", exercise.id));
    // The verdict belongs to the file as it was when the check began.
    let fingerprint = status::fingerprint(exercise, checkout);
    let (verdict, lines) = verdict(checkout, exercise, &place)?;
    drop(alone);
    let status = match verdict {
        Verdict::Solved => Status::Solved,
        Verdict::InPart => Status::InPart,
        Verdict::Failing => Status::Failing,
        Verdict::ToDo => Status::ToDo,
        Verdict::Skipped => Status::Skipped,
    };
    // It is kept before it is said: a reader who has gone ends us.
    let mut is_first = false;
    Progress::change_or_say(checkout, |progress| {
        is_first = status::is_fresh(exercises, progress);
        status.keep(exercise, progress, &fingerprint);
    });
    for line in lines {
        say!("{line}");
    }
    say!();
    if status.is_solved() {
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
            say!("Once more: cargo learn check {}", exercise.id);
        }
    }
    Ok(status)
}

/// Builds the check and runs it, with the lines that say what was found.
fn verdict(
    checkout: &Checkout,
    exercise: &Exercise,
    place: &str,
) -> Result<(Verdict, Vec<String>), Stop> {
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
        let whose = if is_yours { "" } else { "the check of " };
        let mut lines = vec![
            String::new(),
            format!("failing: {whose}{place} does not compile."),
            String::new(),
        ];
        let renamed = renamed::told(&complaints);
        lines.extend(complaints.into_iter().take(60));
        lines.extend(renamed);
        return Ok((Verdict::Failing, lines));
    };
    let log = checkout.log(&format!("check-{id}"))?;
    let (verdict, said) =
        program::run(id, &programs[0], &log, None, process::follow)?;
    Ok((verdict, said.lines().map(str::to_string).collect()))
}
