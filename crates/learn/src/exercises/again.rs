//! `cargo learn again`: a solved exercise with different values, in a file
//! next to the solved one.

use std::fs;
use std::path::PathBuf;

use crate::checkout::{Checkout, replace};
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::status::Status;
use crate::exercises::stub::SolutionFile;
use crate::exercises::variant::Again;
use crate::exercises::{backup, check};
use crate::progress::Progress;
use crate::terminal::{self, say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "again",
    usage: "[EXERCISE] [--new] [--seed N]",
    summary: "a solved exercise with different values",
    page: "\
Draws a variant of the exercise with different values, order or operation, and
writes its task to a file in exercises/again/. Your own file is not changed. The
same command then checks what you wrote there, as strictly as the exercise. When
it is solved, the command draws the next variant. --new draws the next one
immediately, and --seed N the one with that number. Without a name it lists the
exercises that have variants.",
    run,
};

const KIND: &str = "again";

/// The variant in the learner's file, and whether it is solved.
struct VariantState {
    seed: usize,
    is_solved: bool,
}

impl VariantState {
    fn load(exercise: &Exercise, progress: &Progress) -> Option<VariantState> {
        let kept = progress.get(KIND, &exercise.id)?;
        let (word, seed) = kept.split_once('_')?;
        Some(VariantState {
            seed: seed.parse().ok()?,
            is_solved: word == "solved",
        })
    }

    fn save(&self, checkout: &Checkout, exercise: &Exercise) {
        let word = if self.is_solved { "solved" } else { "open" };
        let kept = format!("{word}_{}", self.seed);
        Progress::update_or_warn(checkout, |progress| {
            progress.set(KIND, &exercise.id, &kept);
        });
    }
}

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let is_new = args.flag("--new");
    let seed = args.option("--seed")?;
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let Some(id) = ids.first() else {
        list(checkout, &exercises);
        return Ok(());
    };
    let exercise = course::find(&exercises, id)?;
    let Some(again) = &exercise.again else {
        return Err(Stop::Usage(format!(
            "{id} has no variant; `cargo learn again` lists the exercises that \
             have one"
        )));
    };
    let seed: Option<usize> = match seed {
        None => None,
        Some(word) => Some(word.parse().map_err(|_| {
            Stop::Usage(format!("--seed is {word:?}; it must be a number"))
        })?),
    };
    let stand = VariantState::load(exercise, &Progress::load(checkout));
    let folder = checkout.exercises.join("again");
    let is_there = folder.join(&exercise.file).is_file();
    match (stand, seed) {
        (Some(VariantState { seed, is_solved: false }), None)
            if is_there && !is_new =>
        {
            check_variant(checkout, exercise, again, seed)
        }
        (_, Some(seed)) => start_variant(checkout, exercise, again, seed),
        (stand, None) => {
            let next = stand.map_or(0, |it| it.seed + 1);
            start_variant(checkout, exercise, again, next)
        }
    }
}

fn list(checkout: &Checkout, exercises: &[Exercise]) {
    let progress = Progress::load(checkout);
    let with = exercises.iter().filter(|it| it.again.is_some());
    for exercise in with {
        let stand = match VariantState::load(exercise, &progress) {
            None => "",
            Some(VariantState { is_solved: true, .. }) => "solved",
            Some(_) => "open",
        };
        say!("{:<6}  {:<18}  {}", stand, exercise.id, exercise.title);
    }
    say!();
    say!("One of them with different values: cargo learn again EXERCISE");
}

/// Writes the stub of a variant and returns its file.
pub(crate) fn write_variant(
    checkout: &Checkout,
    exercise: &Exercise,
    again: &Again,
    seed: usize,
) -> Result<PathBuf, Stop> {
    let stub = SolutionFile::variant(checkout, exercise, again, seed)?.stub;
    let file = checkout.exercises.join("again").join(&exercise.file);
    // A variant may be half finished.
    if let Ok(yours) = fs::read(&file) {
        let backup = backup::create(checkout, exercise, &yours)?;
        say!("Backup of your previous version: {}", checkout.shown(&backup));
    }
    replace(&file, stub.as_bytes())?;
    VariantState { seed, is_solved: false }.save(checkout, exercise);
    Ok(file)
}

/// Writes the stub of a variant and prints its task.
fn start_variant(
    checkout: &Checkout,
    exercise: &Exercise,
    again: &Again,
    seed: usize,
) -> Result<(), Stop> {
    let id = &exercise.id;
    let file = write_variant(checkout, exercise, again, seed)?;
    say!("{id}, again: {}", exercise.title);
    say!();
    for line in wrapped(&again.substitute(&again.task, seed)) {
        say!("{line}");
    }
    say!();
    say!("Edit it: {}", checkout.shown(&file));
    say!("Check it: cargo learn again {id}");
    Ok(())
}

/// Checks the file of a variant.
fn check_variant(
    checkout: &Checkout,
    exercise: &Exercise,
    again: &Again,
    seed: usize,
) -> Result<(), Stop> {
    let id = &exercise.id;
    let folder = checkout.exercises.join("again");
    let place = checkout.shown(&folder.join(&exercise.file));
    say!("{id}, again: {}", exercise.title);
    // `verify` builds the same programs, and a check uses the same log.
    let alone =
        [checkout.lock("verify"), checkout.lock(&format!("check-{id}"))];
    let drawn = again.variable(seed);
    let heard =
        check::verdict(checkout, &folder, exercise, &place, Some(&drawn))?;
    drop(alone);
    let is_solved = heard.verdict.is_solved();
    if is_solved {
        VariantState { seed, is_solved }.save(checkout, exercise);
    }
    for line in heard.said.trim_end().lines() {
        terminal::print_verdict(line);
    }
    say!();
    if is_solved {
        say!("The next variant: cargo learn again {id}");
        return Ok(());
    }
    if heard.verdict == Status::ToDo {
        for line in wrapped(&again.substitute(&again.task, seed)) {
            say!("{line}");
        }
    }
    say!("Edit it: {place}");
    say!("Check again: cargo learn again {id}");
    Err(Stop::Said(1))
}
