//! The program of a check: cargo builds it, and it runs by itself, so that
//! its words and its exit code are its own.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::process::{self, Ending, Follow};

/// The variable that names the folder of the learner's files, for cargo and
/// for the compiler.
pub(crate) const FOLDER: &str = "RUNGRAD_EXERCISES";

/// How a check ended. A word behind its last line says so, as in
/// `exercises/src/verdict.rs`; its exit code could be anybody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Solved,
    /// But nobody could look for races and stray reads.
    InPart,
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

/// Tells where cargo says that it put the program of this name.
fn executable(said: &str, id: &str) -> Option<PathBuf> {
    let name = format!("\"name\":\"{id}\"");
    let artifacts = said.lines().filter(|line| line.starts_with('{'));
    let path =
        artifacts.filter(|line| line.contains(&name)).find_map(|line| {
            let (_, path) = line.split_once("\"executable\":\"")?;
            unquoted(path)
        })?;
    Some(PathBuf::from(path))
}

/// Reads a string of JSON, from behind its first quote to the last.
fn unquoted(text: &str) -> Option<String> {
    let mut letters = text.chars();
    let mut string = String::new();
    loop {
        string.push(match letters.next()? {
            '"' => return Some(string),
            '\\' => match letters.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    // Cargo leaves all that is not a control as it is.
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                itself => itself,
            },
            letter => letter,
        });
    }
}

/// The variable that names the proof of a verdict: a word that nobody can
/// guess, behind the check's last line.
const PROOF: &str = "RUNGRAD_CHECK_PROOF";

/// The seconds of processor time that a check gives the learner's code.
const LIMIT: u64 = 10;
const LIMIT_VARIABLE: &str = "RUNGRAD_CHECK_LIMIT";

/// Runs a check and returns what it said. A check without a verdict, since a
/// disk is full or somebody ended it, says nothing about the learner.
/// `seconds` is the processor's time for the learner's code, where it is not
/// the usual one.
pub(crate) fn run(
    id: &str,
    program: &Path,
    log: &Path,
    seconds: Option<u64>,
    follow: Follow,
) -> Result<(Verdict, String), Stop> {
    let what = format!("checking {id}");
    // A check has a limit of its own, with better words; this one is for
    // when that fails.
    let given = || env::var(LIMIT_VARIABLE).ok()?.parse().ok();
    let given = seconds.or_else(given).unwrap_or(LIMIT);
    let limit =
        Duration::from_secs(given.saturating_mul(12).saturating_add(60));
    let proof = format!("{:016x}", RandomState::new().hash_one(id));
    let mut command = Command::new(program);
    command.env(PROOF, &proof);
    if let Some(seconds) = seconds {
        command.env(LIMIT_VARIABLE, seconds.to_string());
    }
    let ending = follow(&what, &mut command, log, limit)?;
    let said = fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let last = said.rsplit_once(&format!("{proof}="));
    let verdict = last.and_then(|(_, word)| Verdict::of(word.trim()));
    match (last, verdict) {
        (Some((said, _)), Some(verdict)) => Ok((verdict, said.to_string())),
        _ => Err(Stop::Failed(format!(
            "{}, without a verdict, so nothing is known of your code; the \
             log is {}, and `cargo learn check {id}` checks it once more",
            process::complaint(&what, &ending),
            log.display()
        ))),
    }
}

impl Verdict {
    fn of(word: &str) -> Option<Verdict> {
        Some(match word {
            "solved" => Verdict::Solved,
            "in_part" => Verdict::InPart,
            "failing" => Verdict::Failing,
            "to_do" => Verdict::ToDo,
            "skipped" => Verdict::Skipped,
            _ => return None,
        })
    }
}

/// Lists what the compiler complained about, without cargo's own lines, and
/// with paths as seen from the root.
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

    #[test]
    fn a_path_may_hold_quotes_and_backslashes() {
        let path = |text| unquoted(&format!("{text}\",\"fresh\":true"));
        let of = |text| path(text).unwrap();
        assert_eq!(of(r#"/a \"b\"/c"#), "/a \"b\"/c");
        assert_eq!(of(r"/a\\b\/\u0007\tc"), "/a\\b/\u{7}\tc");
        assert_eq!(of("/\u{fc}"), "/\u{fc}");
        assert_eq!(unquoted("/never ends"), None);
    }
}
