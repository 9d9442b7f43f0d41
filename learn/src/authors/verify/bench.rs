//! Where the files of all exercises stand while they are proved.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use super::Variant;
use crate::checkout::{Checkout, cannot_write};
use crate::command::Stop;
use crate::course::Exercise;
use crate::exercises::program::{self, Verdict};
use crate::process::{self, StatusLine};
use crate::terminal::say;

/// The folder of the files, and cargo with it.
pub(super) struct Bench<'a> {
    checkout: &'a Checkout,
    pub(super) folder: PathBuf,
}

/// What came out for one file, or why nothing did: that is the file's own
/// fault, and the others have theirs.
type Found = Result<(Verdict, String), String>;

impl Bench<'_> {
    pub(super) fn new(checkout: &Checkout) -> Result<Bench<'_>, Stop> {
        let folder = checkout.target.join("verify/exercises");
        Ok(Bench { checkout, folder })
    }

    /// Puts one variant of each exercise in place, builds all of their checks
    /// by one call of cargo, and runs each.
    pub(super) fn round(
        &self,
        round: usize,
        placed: &[(&Exercise, &Variant)],
    ) -> Result<Vec<Found>, Stop> {
        for (exercise, variant) in placed {
            let file = self.folder.join(&exercise.file);
            let folder = file.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, &variant.text))
                .map_err(|error| cannot_write(&file, &error))?;
        }
        let checkout = self.checkout;
        let all: Vec<&Exercise> = placed.iter().map(|it| it.0).collect();
        let log = checkout.log(&format!("verify-{round}"))?;
        let built = program::build(checkout, &self.folder, &all, &log)?;
        let programs = match built {
            Some(programs) => programs.into_iter().map(Ok).collect(),
            None => self.one_by_one(round, placed)?,
        };
        Ok(self.run(round, placed, &programs, &log))
    }

    /// Builds each check by itself, where they do not build together: that
    /// says which of them are to blame.
    fn one_by_one(
        &self,
        round: usize,
        placed: &[(&Exercise, &Variant)],
    ) -> Result<Vec<Result<PathBuf, String>>, Stop> {
        let checkout = self.checkout;
        let build = |(exercise, variant): &(&Exercise, &Variant)| {
            let id = exercise.id.as_str();
            let log = checkout.log(&format!("verify-{id}-{round}-build"))?;
            let folder = &self.folder;
            let built = program::build(checkout, folder, &[exercise], &log)?;
            let Some(mut programs) = built else {
                say!("{} does not compile:", variant.name);
                for line in program::complaints(checkout, &log) {
                    say!("{line}");
                }
                let log = checkout.shown(&log);
                return Ok(Err(format!("it does not compile; see {log}")));
            };
            Ok(Ok(programs.remove(0)))
        };
        placed.iter().map(build).collect()
    }

    /// Runs as many at a time as there are cores: many of them wait. One
    /// status line is shown for all, with the one that began last.
    fn run(
        &self,
        round: usize,
        placed: &[(&Exercise, &Variant)],
        programs: &[Result<PathBuf, String>],
        log: &Path,
    ) -> Vec<Found> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = Mutex::new(placed.iter().zip(programs).enumerate());
        let found = Mutex::new(BTreeMap::new());
        let what = format!("running {} checks", placed.len());
        thread::scope(|scope| {
            let worker = || {
                let next = || jobs.lock().ok()?.next();
                while let Some((at, (placed, program))) = next() {
                    note(log, &placed.0.id);
                    let program = program.as_ref().map_err(String::clone);
                    let ran =
                        program.and_then(|it| self.one(round, placed, it));
                    found.lock().unwrap().insert(at, ran);
                }
            };
            let workers: Vec<_> =
                (0..cores).map(|_| scope.spawn(worker)).collect();
            let mut status = StatusLine::new(&what, log);
            for pause in process::pauses() {
                if workers.iter().all(|it| it.is_finished()) {
                    break;
                }
                status.show();
                thread::sleep(pause);
            }
        });
        found.into_inner().unwrap().into_values().collect()
    }

    fn one(
        &self,
        round: usize,
        (exercise, variant): &(&Exercise, &Variant),
        program: &Path,
    ) -> Found {
        let (id, seconds) = (exercise.id.as_str(), variant.seconds);
        let again = variant.again.as_deref();
        let log = self.checkout.log(&format!("verify-{id}-{round}"));
        let follow = process::follow_in_silence;
        let run = |log: PathBuf| {
            program::run(id, program, &log, seconds, again, None, follow)
        };
        log.and_then(run)
            .map(|heard| (heard.verdict, heard.said))
            .map_err(|stop| stop.sentence().unwrap_or("it stopped").to_string())
    }
}

/// Writes a line for the status line to show; without it the check runs all
/// the same.
fn note(log: &Path, id: &str) {
    if let Ok(mut log) = OpenOptions::new().append(true).open(log) {
        let _ = writeln!(log, "{id}");
    }
}
