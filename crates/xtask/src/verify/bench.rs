//! Where the files of all exercises stand while they are proved.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::{self, ScopedJoinHandle};

use super::Variant;
use learn::checkout::{Checkout, cannot_write};
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::program::{self, Verdict};
use learn::process::{self, StatusLine};
use learn::terminal::say;

/// The folders of the files, and cargo with them. While the checks of one round
/// run and read their files, those of the next are built in the other folder.
pub(super) struct Bench<'a> {
    checkout: &'a Checkout,
    pub(super) folders: [PathBuf; 2],
    /// Where the programs of a round lie while cargo builds others.
    programs: PathBuf,
}

/// What came out for one file, or why nothing did: that is the file's own
/// fault, and the others have theirs.
type Found = Result<(Verdict, String), String>;
/// What stands in one round, a variant of each exercise.
type Round<'a> = Vec<(&'a Exercise, &'a Variant)>;
/// A program, or why it was not built.
type Built = Result<PathBuf, String>;

impl Bench<'_> {
    pub(super) fn new(checkout: &Checkout) -> Result<Bench<'_>, Stop> {
        let of = |name| checkout.target.join("verify").join(name);
        let folders = ["exercises", "others"].map(of);
        Ok(Bench { checkout, folders, programs: of("programs") })
    }

    /// Builds and runs the checks of all rounds, and returns what came out, one
    /// round behind the other.
    pub(super) fn prove(&self, rounds: &[Round]) -> Result<Vec<Found>, Stop> {
        thread::scope(|scope| {
            let mut found = Vec::new();
            let mut running = None;
            for (number, round) in rounds.iter().enumerate() {
                let (programs, log) = self.build(number, round)?;
                found.extend(running.map_or(Vec::new(), Running::wait));
                let (what, its) = (round.len(), log.clone());
                let run = move || self.run(number, round, &programs, &log);
                running = Some(Running(scope.spawn(run), what, its));
            }
            found.extend(running.map_or(Vec::new(), Running::wait));
            Ok(found)
        })
    }

    /// Puts the variants of a round in place, builds all of their checks by one
    /// call of cargo, and lays the programs by.
    fn build(
        &self,
        number: usize,
        round: &Round,
    ) -> Result<(Vec<Built>, PathBuf), Stop> {
        let folder = &self.folders[number % 2];
        for (exercise, variant) in round {
            let file = folder.join(&exercise.file);
            let room = file.parent().unwrap_or(folder);
            fs::create_dir_all(room)
                .and_then(|()| fs::write(&file, &variant.text))
                .map_err(|error| cannot_write(&file, &error))?;
        }
        let checkout = self.checkout;
        let all: Vec<&Exercise> = round.iter().map(|it| it.0).collect();
        let log = checkout.log(&format!("verify-{number}"))?;
        let built = program::build(checkout, folder, &all, &log)?;
        let mut programs: Vec<Built> = match built {
            Some(programs) => programs.into_iter().map(Ok).collect(),
            None => self.one_by_one(number, round)?,
        };
        let aside = self.programs.join((number % 2).to_string());
        let _ = fs::remove_dir_all(&aside);
        fs::create_dir_all(&aside)
            .map_err(|error| cannot_write(&aside, &error))?;
        let built = programs.iter_mut().flatten();
        for program in built {
            let name = program.file_name().unwrap_or_default();
            let own = aside.join(name);
            fs::rename(&*program, &own)
                .map_err(|error| cannot_write(&own, &error))?;
            *program = own;
        }
        Ok((programs, log))
    }

    /// Builds each check by itself, where they do not build together: that
    /// says which of them are to blame.
    fn one_by_one(
        &self,
        number: usize,
        round: &Round,
    ) -> Result<Vec<Built>, Stop> {
        let checkout = self.checkout;
        let folder = &self.folders[number % 2];
        let build = |(exercise, variant): &(&Exercise, &Variant)| {
            let id = exercise.id.as_str();
            let log = checkout.log(&format!("verify-{id}-{number}-build"))?;
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
        round.iter().map(build).collect()
    }

    /// Runs as many at a time as there are cores: many of them wait.
    fn run(
        &self,
        number: usize,
        round: &Round,
        programs: &[Built],
        log: &Path,
    ) -> Vec<Found> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = Mutex::new(round.iter().zip(programs).enumerate());
        let found = Mutex::new(BTreeMap::new());
        let worker = || {
            let next = || jobs.lock().ok()?.next();
            while let Some((at, (placed, program))) = next() {
                note(log, &placed.0.id);
                let program = program.as_ref().map_err(String::clone);
                let ran = program.and_then(|it| self.one(number, placed, it));
                found.lock().unwrap().insert(at, ran);
            }
        };
        thread::scope(|scope| {
            (0..cores).for_each(|_| drop(scope.spawn(worker)));
        });
        found.into_inner().unwrap().into_values().collect()
    }

    fn one(
        &self,
        number: usize,
        (exercise, variant): &(&Exercise, &Variant),
        program: &Path,
    ) -> Found {
        let (id, seconds) = (exercise.id.as_str(), variant.seconds);
        let again = variant.again.as_deref();
        let log = self.checkout.log(&format!("verify-{id}-{number}"));
        let follow = process::follow_in_silence;
        let run = |log: PathBuf| {
            program::run(id, program, &log, seconds, again, None, follow)
        };
        let heard = log.and_then(run).map_err(|stop| {
            stop.sentence().unwrap_or("it stopped").to_string()
        });
        let stale = "its program is that of an earlier text".to_string();
        let heard = heard?.ok_or(stale)?;
        Ok((heard.verdict, heard.said))
    }
}

/// The checks of a round that run, how many they are, and their log.
struct Running<'a>(ScopedJoinHandle<'a, Vec<Found>>, usize, PathBuf);

impl Running<'_> {
    /// Waits for them, with one status line for all, which shows the one that
    /// began last.
    fn wait(self) -> Vec<Found> {
        let what = format!("running {} checks", self.1);
        let mut status = StatusLine::new(&what, &self.2);
        for pause in process::pauses() {
            if self.0.is_finished() {
                break;
            }
            status.show();
            thread::sleep(pause);
        }
        drop(status);
        self.0.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Writes a line for the status line to show; without it the check runs all
/// the same.
fn note(log: &Path, id: &str) {
    if let Ok(mut log) = OpenOptions::new().append(true).open(log) {
        let _ = writeln!(log, "{id}");
    }
}
