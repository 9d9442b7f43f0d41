//! Builds and runs the checks of one round, with a file for each exercise.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use super::Variant;
use learn::checkout::{Checkout, cannot_write};
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::program;
use learn::exercises::status::Status;
use learn::process::{self, Follow};
use learn::terminal::say;

/// A variant with its exercise.
type Placed<'a> = (&'a Exercise, &'a Variant);
/// The verdict of a check with its output, or why there is none.
type Found = Result<(Status, String), String>;

/// Builds the checks of all variants, runs them, and returns the results in the
/// same order.
pub(super) fn check(
    checkout: &Checkout,
    folder: &Path,
    number: usize,
    round: &[Placed],
) -> Result<Vec<Found>, Stop> {
    let programs = build(checkout, folder, number, round)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = Mutex::new(round.iter().zip(programs).enumerate());
    let found = Mutex::new(BTreeMap::new());
    let work = |follow: Follow| {
        let next = || jobs.lock().unwrap().next();
        while let Some((at, (placed, program))) = next() {
            let run = |it: PathBuf| run(checkout, number, placed, &it, follow);
            let ran = program.and_then(run);
            found.lock().unwrap().insert(at, ran);
        }
    };
    // One thread shows what it checks; the status lines of several would
    // overwrite each other.
    thread::scope(|scope| {
        for _ in 1..cores {
            scope.spawn(|| work(process::follow_in_silence));
        }
        work(process::follow);
    });
    Ok(found.into_inner().unwrap().into_values().collect())
}

/// Builds all checks by one call of cargo. If that fails, it builds each one
/// alone, to find those that do not compile.
fn build(
    checkout: &Checkout,
    folder: &Path,
    number: usize,
    round: &[Placed],
) -> Result<Vec<Result<PathBuf, String>>, Stop> {
    for (exercise, variant) in round {
        let file = folder.join(&exercise.file);
        fs::create_dir_all(file.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&file, &variant.text))
            .map_err(|error| cannot_write(&file, &error))?;
    }
    let all: Vec<&Exercise> = round.iter().map(|it| it.0).collect();
    let log = checkout.log(&format!("verify-{number}"))?;
    if let Some(all) = program::build(checkout, folder, &all, &log)? {
        return Ok(all.into_iter().map(Ok).collect());
    }
    let alone = |(exercise, variant): &Placed| {
        let log = format!("verify-{}-{number}-build", exercise.id);
        let log = checkout.log(&log)?;
        let built = program::build(checkout, folder, &[exercise], &log)?;
        if let Some(mut programs) = built {
            return Ok(Ok(programs.remove(0)));
        }
        say!("{} does not compile:", variant.name);
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
    (exercise, variant): &Placed,
    program: &Path,
    follow: Follow,
) -> Found {
    let Variant { seconds, again, .. } = variant;
    let (id, again) = (exercise.id.as_str(), again.as_deref());
    let log = checkout.log(&format!("verify-{id}-{number}"));
    let heard = log.and_then(|log| {
        program::run(id, program, &log, *seconds, again, None, follow)
    });
    match heard {
        Ok(Some(heard)) => Ok((heard.verdict, heard.said)),
        Ok(None) => Err("its program is that of an earlier text".to_string()),
        Err(stop) => Err(stop.sentence().unwrap_or("it stopped").to_string()),
    }
}
