//! Builds the check program of an exercise with cargo and runs it directly, so
//! that its output and exit code are not mixed with cargo's.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::course::{Exercise, Scope};
use crate::examples::LIGHT_CONFIG;
use crate::exercises::status::Status;
use crate::process::{self, Ending, RunFn};
use crate::terminal;

/// The variable that names the folder of the learner's files, for cargo and
/// for the compiler.
pub const FOLDER: &str = "RUNGRAD_EXERCISES";

/// The word and the exit code of a program that was compiled from a different
/// version of the learner's file. Cargo compares only modification times, so
/// it keeps such a program if an older file replaces the current one.
const STALE: &str = "stale";
pub(crate) const STALE_CODE: u8 = 5;

/// The maximum number of builds of a stale program. One is enough, unless the
/// file changes again in the meantime.
pub(crate) const ROUNDS: usize = 3;

/// Removes a stale program, because cargo rebuilds a missing one. The
/// modification time of the learner's file does not change.
pub(crate) fn remove_stale(program: &Path) -> Result<(), Stop> {
    fs::remove_file(program).map_err(|error| {
        let program = program.display();
        Stop::Failed(format!(
            "{program} is out of date and cannot be removed: {error}"
        ))
    })
}

/// Returns the error for a file that changes faster than it can be compiled.
pub(crate) fn changing_file(place: &str) -> Stop {
    Stop::Failed(format!(
        "{place} has changed each of the {ROUNDS} times that it was compiled; \
         check it again when it no longer changes"
    ))
}

/// Builds the checks of the exercises in `folder`. `None` means that a file
/// does not compile; the log contains the reason.
pub fn build(
    checkout: &Checkout,
    folder: &Path,
    exercises: &[&Exercise],
    log: &Path,
) -> Result<Option<Vec<PathBuf>>, Stop> {
    let mut command = checkout.cargo(&["test", "--no-run"]);
    let packages: BTreeSet<&str> =
        exercises.iter().map(|it| it.package()).collect();
    for package in packages {
        command.args(["--package", package]);
    }
    let scope = exercises.iter().map(|it| it.scope()).max();
    let scope = scope.unwrap_or(Scope::All);
    command.args(scope.features());
    // Without optimization, the first verdict comes in half of the time.
    if scope != Scope::All && !exercises.iter().any(|it| it.trains) {
        command.args(LIGHT_CONFIG);
    }
    let ids: Vec<&str> = exercises.iter().map(|it| it.id.as_str()).collect();
    for id in &ids {
        command.args(["--test", id]);
    }
    if folder != checkout.root.join("exercises") {
        command.args(["--features", "elsewhere"]);
    }
    command.env(FOLDER, folder);
    let (parts, time) = match scope {
        Scope::Part1 => ("Part 1", "20 seconds"),
        Scope::Kernels => ("Part 2", "40 seconds"),
        Scope::All => ("all parts", "2 minutes"),
    };
    // It is in the target folder, so `cargo clean` removes it too.
    let marker = checkout.target.join("learn-logs").join(parts);
    let what = match ids[..] {
        [_] if !marker.exists() => {
            format!("compiling {parts}, once only, about {time}")
        }
        [id] => format!("compiling the check of {id}"),
        _ => format!("compiling {} checks", ids.len()),
    };
    let programs = compiled(checkout, &what, &mut command, &ids, log)?;
    let _ = fs::write(marker, "");
    Ok(programs)
}

/// Builds the program of an exercise with levels, optimized.
pub(crate) fn build_fast(
    checkout: &Checkout,
    exercise: &Exercise,
    log: &Path,
) -> Result<Option<PathBuf>, Stop> {
    let id = exercise.id.as_str();
    let mut command = checkout.cargo(&["test", "--no-run", "--release"]);
    command.args(["--package", exercise.package(), "--test", id]);
    command.args(exercise.scope().features());
    command.env(FOLDER, &checkout.exercises);
    let what = format!("compiling {id} for speed");
    let built = compiled(checkout, &what, &mut command, &[id], log)?;
    Ok(built.map(|mut programs| programs.remove(0)))
}

/// Runs cargo and returns the programs that it has built.
fn compiled(
    checkout: &Checkout,
    what: &str,
    command: &mut Command,
    ids: &[&str],
    log: &Path,
) -> Result<Option<Vec<PathBuf>>, Stop> {
    let limit = Duration::from_secs(1200);
    let ending = process::run_with_status(what, command, log, limit)?;
    match ending {
        Ending::Exited(0) => {}
        Ending::Exited(_) => return Ok(None),
        Ending::TimedOut(_) => {
            return Err(Stop::Failed(process::failure_message(what, &ending)));
        }
    }
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let programs: Option<Vec<PathBuf>> = ids
        .iter()
        .map(|id| Some(checkout.root.join(executable(&said, id)?)))
        .collect();
    programs.map(Some).ok_or_else(|| {
        let place = checkout.shown(log);
        Stop::Failed(format!("cargo built no check; the log is {place}"))
    })
}

/// Returns the path that cargo prints for the program with this name:
/// `Executable checks/ties.rs (target/debug/deps/ties-0a1b)`.
fn executable(said: &str, id: &str) -> Option<PathBuf> {
    let lines = said.lines().map(str::trim_start);
    let programs = lines.filter_map(|it| it.strip_prefix("Executable "));
    let mut paths = programs.filter_map(|it| {
        Some(Path::new(it.split_once(" (")?.1.strip_suffix(')')?))
    });
    let is_its = |path: &&Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.rsplit_once('-').is_some_and(|(name, _)| name == id)
    };
    paths.find(is_its).map(Path::to_path_buf)
}

/// The variable that holds the proof of a verdict: an unguessable word that
/// follows the check's last line.
const PROOF: &str = "RUNGRAD_CHECK_PROOF";

/// The variable that holds the values drawn for a variant.
const AGAIN: &str = "RUNGRAD_AGAIN";

/// The processor time that a check gives the learner's code, in seconds.
const LIMIT: u64 = 10;
const LIMIT_VARIABLE: &str = "RUNGRAD_CHECK_LIMIT";

/// The variable that holds the number of levels that passed before: they are
/// checked faster.
const STOOD: &str = "RUNGRAD_LEVELS_STOOD";

/// The variable that holds the number of hints that the learner has seen.
const HINTS: &str = "RUNGRAD_HINTS_SEEN";

/// The earlier steps of a learner in an exercise.
#[derive(Clone, Copy, Default)]
pub struct History {
    /// The number of levels that passed, if the exercise has levels.
    pub levels: Option<usize>,
    /// The number of hints seen. `None` if the check need not know.
    pub hints: Option<usize>,
}

/// The output of a check and its verdict.
pub struct CheckOutput {
    /// The word after the proof. An exit code could come from the learner's
    /// code.
    pub verdict: Status,
    /// The learner's progress in a milestone.
    pub tier: Option<Tier>,
    pub said: String,
}

/// How many parts of a milestone the learner has written, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    pub yours: usize,
    pub all: usize,
}

/// Runs a check and returns its output. A check that ends without a verdict,
/// because the disk is full or the process was killed, proves nothing about
/// the answer. `seconds` is the processor time for the learner's code, if it
/// is not the default, and `again` holds the values drawn for a variant.
/// `None` means that the program is stale.
pub fn run(
    id: &str,
    program: &Path,
    log: &Path,
    seconds: Option<u64>,
    again: Option<&str>,
    history: History,
    run_command: RunFn,
) -> Result<Option<CheckOutput>, Stop> {
    let what = format!("checking {id}");
    // A check enforces this limit itself and explains it better. This one is
    // for the case that it fails to.
    let given = || env::var(LIMIT_VARIABLE).ok()?.parse().ok();
    let given = seconds.or_else(given).unwrap_or(LIMIT);
    let limit =
        Duration::from_secs(given.saturating_mul(12).saturating_add(60));
    let proof = format!("{:016x}", RandomState::new().hash_one(id));
    let mut command = Command::new(program);
    command.env(PROOF, &proof);
    for (variable, number) in [(STOOD, history.levels), (HINTS, history.hints)]
    {
        if let Some(number) = number {
            command.env(variable, number.to_string());
        }
    }
    if let Some(columns) = terminal::columns() {
        command.env("COLUMNS", columns.to_string());
    }
    if let Some(seconds) = seconds {
        command.env(LIMIT_VARIABLE, seconds.to_string());
    }
    match again {
        Some(drawn) => command.env(AGAIN, drawn),
        None => command.env_remove(AGAIN),
    };
    let ending = run_command(&what, &mut command, log, limit)?;
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let last = said.rsplit_once(&format!("{proof}="));
    if last.is_some_and(|(_, words)| words.trim() == STALE) {
        return Ok(None);
    }
    let first = last.and_then(|(_, words)| words.split_whitespace().next());
    let verdict = first.and_then(Status::read);
    match (last, verdict) {
        (Some((said, words)), Some(verdict)) => {
            let tier = words.split_whitespace().nth(1).and_then(Tier::read);
            Ok(Some(CheckOutput { verdict, tier, said: said.to_string() }))
        }
        _ => Err(Stop::Failed(format!(
            "{}, without a verdict, so your code was not checked; the log is \
             {}, and `cargo learn check {id}` checks it again",
            process::failure_message(&what, &ending),
            log.display()
        ))),
    }
}

impl Tier {
    /// Parses `3/4`, from a check, or `3_4`, from the progress file.
    pub(crate) fn read(words: &str) -> Option<Tier> {
        let (yours, all) = words.split_once(['/', '_'])?;
        Some(Tier { yours: yours.parse().ok()?, all: all.parse().ok()? })
    }

    /// Formats it for the progress file.
    pub(crate) fn word(self) -> String {
        format!("{}_{}", self.yours, self.all)
    }

    /// Formats it for people.
    pub(crate) fn shown(self) -> String {
        match self.yours == self.all {
            true => format!("all {} are yours", self.all),
            false => format!("{} of {} are yours", self.yours, self.all),
        }
    }
}

/// Lists the compiler's messages, without cargo's own lines and with paths
/// relative to the root.
pub fn complaints(checkout: &Checkout, log: &Path) -> Vec<String> {
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let root = format!("{}/", checkout.root.display());
    said.lines()
        .skip_while(|line| !line.starts_with("error"))
        .take_while(|line| !line.starts_with("error: could not compile"))
        .map(|line| line.replace(&root, ""))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_in_the_output_of_cargo() {
        let said = "   Compiling exercises v0.1.0 (/a (b)/exercises)
  Executable checks/one.rs (/a (b)/deps/one-1)
  Executable checks/one_more.rs (target/deps/one_more-2)
";
        assert_eq!(executable(said, "one"), Some("/a (b)/deps/one-1".into()));
        let more = Some("target/deps/one_more-2".into());
        assert_eq!(executable(said, "one_more"), more);
        assert_eq!(executable(said, "more"), None);
    }

    #[test]
    fn a_check_reports_the_parts_of_a_milestone() {
        let tier = Tier::read("3/4").unwrap();
        assert_eq!(Tier::read(&tier.word()), Some(tier));
        assert_eq!(tier.shown(), "3 of 4 are yours");
        assert_eq!(Tier::read("5/5").unwrap().shown(), "all 5 are yours");
        assert_eq!(Tier::read("none"), None);
    }
}
