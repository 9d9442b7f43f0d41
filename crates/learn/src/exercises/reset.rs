//! `cargo learn reset`: restores the stub and backs up the learner's lines.

use std::fs;
use std::io::ErrorKind;

use crate::checkout::{Checkout, replace};
use crate::class;
use crate::command::{Args, Command, Stop};
use crate::course;
use crate::exercises::backup;
use crate::exercises::levels;
use crate::exercises::status::{self, Status};
use crate::exercises::stub::SolutionFile;
use crate::progress::Progress;
use crate::terminal::{self, say};

pub(crate) const COMMAND: Command = Command {
    name: "reset",
    usage: "EXERCISE [--from LEVEL] [--yes]",
    summary: "restore the task of an exercise, and back up your file",
    page: "\
Restores the original file of the exercise. Your version is first copied to a
new file in .learn/backups/, which no command ever removes. It asks before it
does so, and without a terminal it requires --yes.

An exercise with levels can be started at any level: with --from 5 the file has
our solution of the levels 1 to 4, and you write the fifth.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let agreed = args.flag("--yes");
    let from = args.option("--from")?;
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::required(&exercises, &ids)?;
    let id = &exercise.id;
    let from = levels::number(exercise, "--from", from.as_deref())?;
    let stub = match from {
        Some(level) => {
            class::require_unlocked(checkout)?;
            SolutionFile::at_level(checkout, exercise, level - 1)?
        }
        None => SolutionFile::read(checkout, exercise)?.stub,
    };
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    let read = || match fs::read(&file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Stop::Failed(format!("cannot read {place}: {error}")))
        }
    };
    let found = read()?;
    if found.as_deref() == Some(stub.as_bytes()) {
        say!("{place} is unchanged: there is nothing to restore.");
        return Ok(());
    }
    if found.is_some() && !agreed {
        if !terminal::can_ask() {
            return Err(Stop::Usage(format!(
                "reset replaces {place}, and without a terminal it cannot ask \
                 you; `cargo learn reset {id} --yes` replaces it and keeps a \
                 backup"
            )));
        }
        say!("The task in {place} is restored; your version is saved in");
        say!("{}.", checkout.shown(&checkout.state_folder().join("backups")));
        if !terminal::agrees("Restore the task?") {
            say!("Nothing has changed.");
            return Ok(());
        }
    }
    // An editor may have saved the file while the question was open.
    let yours = read()?;
    if let Some(yours) = &yours {
        let backup = backup::create(checkout, exercise, yours)?;
        say!("Your version: {}", checkout.shown(&backup));
    }
    if read()? != yours {
        return Err(Stop::Failed(format!(
            "{place} was saved just now, so it was not replaced; run `cargo \
             learn reset {id}` again"
        )));
    }
    replace(&file, stub.as_bytes())?;
    say!("The task is restored: {place}");
    let fingerprint = status::fingerprint(exercise, checkout);
    Progress::update_or_warn(checkout, |progress| {
        Status::ToDo.save(exercise, progress, &fingerprint);
    });
    say!("Check it: cargo learn check {id}");
    Ok(())
}
