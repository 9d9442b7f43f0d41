//! The program of a check: cargo builds it, and it runs by itself, so that
//! its words and its exit code are its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::process::{self, Ending};

/// The variable that names the folder of the learner's files, for cargo and
/// for the compiler.
pub(crate) const FOLDER: &str = "RUNGRAD_EXERCISES";

/// How a check ended. Its exit code says so: `exercises/src/verdict.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Solved,
    Failing,
    ToDo,
    Skipped,
}

/// Builds the checks of the exercises in `folder`. None means that some file
/// does not compile, and the log says why.
pub(crate) fn build(
    checkout: &Checkout,
    folder: &Path,
    ids: &[&str],
    log: &Path,
) -> Result<Option<Vec<PathBuf>>, Stop> {
    let mut command = checkout.cargo(&["test", "--package", "exercises"]);
    command.args(["--no-run", "--message-format", "json-render-diagnostics"]);
    for id in ids {
        command.args(["--test", id]);
    }
    if folder != checkout.root.join("exercises") {
        command.args(["--features", "elsewhere"]);
    }
    command.env(FOLDER, folder);
    let what = match ids {
        [id] => format!("compiling the check of {id}"),
        _ => format!("compiling {} checks", ids.len()),
    };
    let limit = Duration::from_secs(1200);
    let ending = process::follow(&what, &mut command, log, limit)?;
    match ending {
        Ending::Exited(0) => {}
        Ending::Exited(_) => return Ok(None),
        Ending::TimedOut(_) => {
            return Err(Stop::Failed(process::complaint(&what, &ending)));
        }
    }
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let programs: Option<Vec<PathBuf>> =
        ids.iter().map(|id| executable(&said, id)).collect();
    programs.map(Some).ok_or_else(|| {
        let place = checkout.shown(log);
        Stop::Failed(format!("cargo built no check; the log is {place}"))
    })
}

/// Where cargo says that it put the program of this name.
fn executable(said: &str, id: &str) -> Option<PathBuf> {
    let name = format!("\"name\":\"{id}\"");
    let artifacts = said.lines().filter(|line| line.starts_with('{'));
    let path =
        artifacts.filter(|line| line.contains(&name)).find_map(|line| {
            let (_, path) = line.split_once("\"executable\":\"")?;
            path.split('"').next()
        })?;
    Some(PathBuf::from(path))
}

/// Runs a check and returns what it said.
pub(crate) fn run(
    id: &str,
    program: &Path,
    log: &Path,
) -> Result<(Verdict, String), Stop> {
    let what = format!("checking {id}");
    // A check has a limit of its own, with better words; this one is for
    // when that fails.
    let limit = Duration::from_secs(180);
    let mut command = Command::new(program);
    let ending = process::follow(&what, &mut command, log, limit)?;
    let said = fs::read(log).unwrap_or_default();
    let mut said = String::from_utf8_lossy(&said).into_owned();
    let verdict = match ending {
        Ending::Exited(0) => Verdict::Solved,
        Ending::Exited(1) => Verdict::Failing,
        Ending::Exited(3) => Verdict::ToDo,
        Ending::Exited(4) => Verdict::Skipped,
        _ => {
            let complaint = process::complaint(&what, &ending);
            said += &format!("\nfailing: {complaint}.\n");
            Verdict::Failing
        }
    };
    Ok((verdict, said))
}

/// What the compiler complained about, without cargo's own lines, and with
/// paths as seen from the root.
pub(crate) fn complaints(checkout: &Checkout, log: &Path) -> Vec<String> {
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let root = format!("{}/", checkout.root.display());
    said.lines()
        .filter(|line| !line.starts_with('{'))
        .skip_while(|line| !line.starts_with("error"))
        .take_while(|line| !line.starts_with("error: could not compile"))
        .map(|line| line.replace(&root, ""))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_cargo_s_messages() {
        let said = "   Compiling exercises
{\"reason\":\"compiler-artifact\",\"target\":{\"kind\":[\"lib\"],\"name\":\"one\"},\"executable\":null}
{\"reason\":\"compiler-artifact\",\"target\":{\"kind\":[\"test\"],\"name\":\"one\"},\"executable\":\"/t/one-1\"}
{\"reason\":\"compiler-artifact\",\"target\":{\"kind\":[\"test\"],\"name\":\"two\"},\"executable\":\"/t/two-2\"}
";
        assert_eq!(executable(said, "two"), Some("/t/two-2".into()));
        assert_eq!(executable(said, "one"), Some("/t/one-1".into()));
        assert_eq!(executable(said, "three"), None);
    }
}
