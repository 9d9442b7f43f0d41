//! `cargo learn check`: checks an answer and explains what is wrong.

use std::fs;
use std::path::Path;

use crate::book;
use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::program::{self, CheckOutput, History, Tier};
use crate::exercises::solved;
use crate::exercises::status::{self, Status};
use crate::exercises::{hint, levels, renamed, report};
use crate::process;
use crate::progress::Progress;
use crate::terminal::{self, say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "check",
    usage: "[EXERCISE or FILE | --solved] [--report json]",
    summary: "check an exercise; without a name the next one",
    page: "\
Compiles the file of the exercise, runs its check and prints the result: what
was checked, the values used, yours and the right ones, the rule that is wrong,
and the tape as text and as a picture. It saves your progress. The name may be
abbreviated, and the path of the file works too. Without a name it checks the
exercise that you checked last, until it is solved, and then the one after it.

--report json also writes the state of all exercises to .learn/report.json.

Exit code 0 means solved, and 1 not solved. A check that needs an OpenCL device
is skipped without one, which does not count as solved. Without the companion,
`cargo test -p exercises --test EXERCISE` runs the same check.

A check is stopped when one of its threads has used 10 seconds of processor
time, which RUNGRAD_CHECK_LIMIT=SECONDS changes, when it has waited six times as
long, when it uses more than 1 GiB of memory, or when it prints more than 4 MiB.
At most 200 lines of your program's output are shown.

--solved checks all solved exercises again, for example after an update, and
prints one line for each.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let is_solved = args.flag("--solved");
    let form = args.option("--report")?;
    if let Some(form) = form.as_ref().filter(|form| *form != "json") {
        return Err(Stop::Usage(format!(
            "--report is {form:?}, and `json` is the only form"
        )));
    }
    let (ids, _) = args.rest(usize::from(!is_solved))?;
    let exercises = course::exercises(checkout)?;
    if is_solved {
        let checked = solved::check_again(checkout, &exercises);
        if form.is_some() {
            report::write(checkout, &exercises, "--solved")?;
        }
        return checked;
    }
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
    let status = check_and_save(checkout, &exercises, exercise)?;
    if form.is_some() {
        report::write(checkout, &exercises, &exercise.id)?;
    }
    let id = exercise.id.as_str();
    if status.is_solved() || status == Status::Skipped {
        if status.is_solved() {
            say!("The hints, in case you are curious: cargo learn hint {id}");
            if exercise.again.is_some() {
                say!("The same with different values: cargo learn again {id}");
            }
        }
        tell_next(checkout, &exercises, exercise, status);
    } else {
        say!("Hint: cargo learn hint {id}");
        say!("Check again: cargo learn check {id}");
    }
    match status.is_solved() {
        true => Ok(()),
        false => Err(Stop::Said(1)),
    }
}

/// Prints the exercise after the one that was checked, and those before it
/// that are unsolved.
fn tell_next(
    checkout: &Checkout,
    exercises: &[Exercise],
    checked: &Exercise,
    status: Status,
) {
    let progress = Progress::load(checkout);
    let id = checked.id.as_str();
    let Some(next) = status::next(exercises, &progress, checkout, &[id]) else {
        if status.is_solved() {
            say!("That was the last one: every exercise is solved.");
        }
        return;
    };
    let open = status::left_open(exercises, &progress, checkout, next);
    if let Some(open) = open {
        say!("{open}");
    }
    say!("Next: cargo learn check {} ({})", next.id, next.title);
}

/// Checks the exercise, prints the verdict and where to read, and saves it.
pub(crate) fn check_and_save(
    checkout: &Checkout,
    exercises: &[Exercise],
    exercise: &Exercise,
) -> Result<Status, Stop> {
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    say!("{}: {}", exercise.id, exercise.title);
    if !file.is_file() {
        return Err(Stop::Failed(format!(
            "{place} is missing; `cargo learn reset {}` restores the task",
            exercise.id
        )));
    }
    // Another check of this exercise would build into the same folder.
    let alone = checkout.lock(&format!("check-{}", exercise.id));
    // The verdict belongs to the file as it was when the check began.
    let fingerprint = status::fingerprint(exercise, checkout);
    let CheckOutput { verdict: status, tier, said } =
        verdict(checkout, &checkout.exercises, exercise, &place, None)?;
    drop(alone);
    // It is saved before it is printed, because printing ends the process if
    // the reader has gone.
    let mut is_first = false;
    Progress::update_or_warn(checkout, |progress| {
        is_first = status::is_fresh(exercises, progress);
        status.save(exercise, progress, &fingerprint);
        status::save_last(exercise, progress);
        if let Some(tier) = tier {
            status::save_tier(exercise, progress, tier);
        }
    });
    for line in said.trim_end().lines() {
        terminal::print_verdict(line);
    }
    say!();
    let read = |page: &str| book::reference(checkout, page);
    if status.is_solved() {
        let is_part = |it: &Tier| it.yours < it.all && !exercise.has_levels();
        if let Some(tier) = tier.filter(is_part) {
            let more = tier.all - tier.yours;
            say!("{}. That is enough; {more} more if you like.", tier.shown());
        }
        if exercise.has_levels() {
            levels::celebrate(checkout, exercise);
        }
        let progress = Progress::load(checkout);
        let solved = status::count_solved(exercises, &progress, checkout);
        say!("{}", terminal::progress_bar(solved, exercises.len()));
        say!("Read on: {}", read(&exercise.chapter));
    } else {
        if status == Status::ToDo {
            if is_first {
                say!("This is your first task, and it is meant to fail now.");
                say!("Edit {place}, save it, and check again.");
            }
            let Exercise { task, size, .. } = exercise;
            let effort = exercise.effort();
            let words = format!("{task} ({size}; {effort})");
            let is_whole = !exercise.has_levels();
            for line in wrapped(&words).iter().filter(|_| is_whole) {
                say!("{line}");
            }
        }
        let level = levels::tell(exercise, tier);
        say!("Read: {}", read(level.unwrap_or(&exercise.chapter)));
    }
    Ok(status)
}

/// Builds the check of the exercise in a folder and runs it. Returns the
/// verdict and the lines that explain it. `place` is the path of the file for
/// people.
pub(crate) fn verdict(
    checkout: &Checkout,
    folder: &Path,
    exercise: &Exercise,
    place: &str,
    again: Option<&str>,
) -> Result<CheckOutput, Stop> {
    let id = exercise.id.as_str();
    if let Some(sentence) = invalid_utf8(&folder.join(&exercise.file), place) {
        return Ok(failing(wrapped(&format!("failing: {sentence}"))));
    }
    for _ in 0..program::ROUNDS {
        let log = checkout.log(&format!("check-{id}"))?;
        let built = program::build(checkout, folder, &[exercise], &log)?;
        let Some(programs) = built else {
            return compile_errors(checkout, exercise, place, &log);
        };
        let log = checkout.log(&format!("check-{id}"))?;
        let progress = Progress::load(checkout);
        // The saved progress belongs to the learner's own file.
        let is_own = folder == checkout.exercises;
        let levels = is_own
            .then(|| levels::previously_passed(checkout, exercise))
            .flatten();
        let history = History {
            levels,
            hints: Some(hint::shown_count(exercise, &progress)),
        };
        let (program, follow) = (&programs[0], process::run_with_status);
        let heard =
            program::run(id, program, &log, None, again, history, follow)?;
        match heard {
            Some(heard) => return Ok(heard),
            None => program::remove_stale(program)?,
        }
    }
    Err(program::changing_file(place))
}

/// Returns the compiler's errors about the learner's file.
fn compile_errors(
    checkout: &Checkout,
    exercise: &Exercise,
    place: &str,
    log: &Path,
) -> Result<CheckOutput, Stop> {
    let complaints = program::complaints(checkout, log);
    let is_of_the_compiler =
        |line: &String| line.trim_start().starts_with("--> ");
    if !complaints.iter().any(is_of_the_compiler) {
        for line in &complaints {
            say!("{line}");
        }
        let log = checkout.shown(log);
        return Err(Stop::Failed(format!(
            "cargo could not build the check, and the reason is not in \
             {place}; the whole log is {log}"
        )));
    }
    let is_yours = complaints.iter().any(|line| line.contains(&exercise.file));
    let prefix = if is_yours { "" } else { "the check of " };
    let mut lines = vec![
        format!("failing: {prefix}{place} does not compile."),
        String::new(),
    ];
    let renamed = renamed::suggestions(&complaints);
    lines.extend(complaints.into_iter().take(60));
    lines.extend(renamed);
    Ok(failing(lines))
}

fn failing(lines: Vec<String>) -> CheckOutput {
    let said = format!("\n{}", lines.join("\n"));
    CheckOutput { verdict: Status::Failing, tier: None, said }
}

/// Returns an error message if the file is not UTF-8. The compiler would name
/// neither the line nor the remedy.
fn invalid_utf8(file: &Path, place: &str) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    let error = str::from_utf8(&bytes).err()?;
    let before = &bytes[..error.valid_up_to()];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let byte = bytes[error.valid_up_to()];
    Some(format!(
        "{place}:{line} has the byte 0x{byte:02X}, which is not valid UTF-8. \
         Save the file with the encoding UTF-8, and check again."
    ))
}
