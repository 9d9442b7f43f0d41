//! Builds and runs checks in rounds. A round has at most one text of the file
//! of each exercise.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use super::Variant;
use learn::checkout::{Checkout, cannot_write};
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::program::{self, History};
use learn::exercises::status::Status;
use learn::process::{self, Ending};
use learn::terminal::say;

/// The folders for the files of a round, below the target folder.
pub(super) const FOLDERS: [&str; 2] =
    ["verify/0/exercises", "verify/1/exercises"];
/// The folders for its programs.
const PROGRAMS: [&str; 2] = ["verify/programs/0", "verify/programs/1"];

/// Variants with the same text, which share a program, and their exercise.
pub(super) type Placed<'a> = (&'a Exercise, &'a [Variant]);
/// The verdict and output of a check, or an error if it has no verdict.
type Found = Result<(Status, String), String>;

/// Builds and runs the checks of all rounds, and returns the results in the
/// same order. While the checks of one round run, the next round is built in
/// the other of two folders.
pub(super) fn check(
    checkout: &Checkout,
    rounds: &[Vec<Placed>],
) -> Result<Vec<Found>, Stop> {
    thread::scope(|scope| {
        let mut found = Vec::new();
        let mut running: Option<ScopedJoinHandle<Vec<Found>>> = None;
        let mut finish = |running: Option<ScopedJoinHandle<Vec<Found>>>| {
            found.extend(running.into_iter().flat_map(|it| it.join().unwrap()));
        };
        for (number, round) in rounds.iter().enumerate() {
            let programs = build(checkout, number, round)?;
            finish(running.take());
            let run = move || run_all(checkout, number, round, programs);
            running = Some(scope.spawn(run));
        }
        finish(running);
        Ok(found)
    })
}

/// Runs one check per core at a time.
fn run_all(
    checkout: &Checkout,
    number: usize,
    round: &[Placed],
    programs: Vec<Result<PathBuf, String>>,
) -> Vec<Found> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = Mutex::new(round.iter().zip(programs).enumerate());
    let found = Mutex::new(BTreeMap::new());
    let work = || {
        let next = || jobs.lock().unwrap().next();
        while let Some((at, ((exercise, variants), program))) = next() {
            let run = |variant| {
                let program = program.as_ref().map_err(String::clone)?;
                run(checkout, number, exercise, variant, program)
            };
            let ran: Vec<Found> = variants.iter().map(run).collect();
            found.lock().unwrap().insert(at, ran);
        }
    };
    thread::scope(|scope| {
        (0..cores).for_each(|_| drop(scope.spawn(work)));
    });
    found.into_inner().unwrap().into_values().flatten().collect()
}

/// Builds all checks with one call of cargo, and moves the programs to a
/// folder where the next call does not replace them. If the build fails, each
/// check is built alone to find those that do not compile.
fn build(
    checkout: &Checkout,
    number: usize,
    round: &[Placed],
) -> Result<Vec<Result<PathBuf, String>>, Stop> {
    let folder = &checkout.target.join(FOLDERS[number % 2]);
    let programs = checkout.target.join(PROGRAMS[number % 2]);
    let move_program = |program: PathBuf| {
        let moved = programs.join(program.file_name().unwrap_or_default());
        fs::create_dir_all(&programs)
            .and_then(|()| fs::rename(&program, &moved))
            .map_err(|error| cannot_write(&moved, &error))?;
        Ok(moved)
    };
    for (exercise, variants) in round {
        let file = folder.join(&exercise.file);
        fs::create_dir_all(file.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&file, &variants[0].text))
            .map_err(|error| cannot_write(&file, &error))?;
    }
    let all: Vec<&Exercise> = round.iter().map(|it| it.0).collect();
    let log = checkout.log(&format!("verify-{number}"))?;
    if let Some(all) = program::build(checkout, folder, &all, &log)? {
        return all.into_iter().map(|it| Ok(Ok(move_program(it)?))).collect();
    }
    let alone = |(exercise, variants): &Placed| {
        let log = format!("verify-{}-{number}-build", exercise.id);
        let log = checkout.log(&log)?;
        let built = program::build(checkout, folder, &[exercise], &log)?;
        if let Some(mut programs) = built {
            return Ok(Ok(move_program(programs.remove(0))?));
        }
        say!("{} does not compile:", variants[0].name);
        for line in program::complaints(checkout, &log) {
            say!("{line}");
        }
        let log = checkout.shown(&log);
        Ok(Err(format!("it does not compile; see {log}")))
    };
    round.iter().map(alone).collect()
}

fn run(
    checkout: &Checkout,
    number: usize,
    exercise: &Exercise,
    variant: &Variant,
    program: &Path,
) -> Found {
    let Variant { seconds, again, .. } = variant;
    let (id, again) = (exercise.id.as_str(), again.as_deref());
    let log = checkout.log(&format!("verify-{id}-{number}"));
    let heard = log.and_then(|log| {
        program::run(
            id,
            program,
            &log,
            *seconds,
            again,
            History::default(),
            run_quietly,
        )
    });
    match heard {
        Ok(Some(heard)) => Ok((heard.verdict, heard.said)),
        Ok(None) => Err("its program is that of an earlier text".to_string()),
        Err(stop) => Err(stop.sentence().unwrap_or("it stopped").to_string()),
    }
}

/// The width of a verdict in the book, whatever the width of this terminal.
const COLUMNS: &str = "80";

fn run_quietly(
    what: &str,
    command: &mut Command,
    log: &Path,
    limit: Duration,
) -> Result<Ending, Stop> {
    process::run_quietly(what, command.env("COLUMNS", COLUMNS), log, limit)
}
