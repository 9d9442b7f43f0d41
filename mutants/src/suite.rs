//! The tests of the copy: where they are, how long each takes, and which
//! mutants it reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use serde_json::Value;

use crate::notes::Notes;
use crate::program::{self, Ending};
use crate::tree::Tree;
use crate::{crew, say};

/// A test, and what the rehearsal has shown of it.
pub(crate) struct Test {
    /// Of [`Suite::programs`].
    program: usize,
    name: String,
    time: Duration,
    reached: BTreeSet<u32>,
}

/// All tests that pass as long as no mutant is on, quickest first.
pub(crate) struct Suite {
    /// The copy, in which they run.
    pub(crate) folder: PathBuf,
    /// Their names and files.
    pub(crate) programs: Vec<(String, PathBuf)>,
    tests: Vec<Test>,
}

/// How a mutant fared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// By this test, and how it ended.
    Caught(String),
    /// After this many tests.
    Survived(usize),
    Unreached,
}

impl Fate {
    pub(crate) fn line(&self) -> String {
        match self {
            Fate::Caught(by) => format!("caught by {by}"),
            Fate::Survived(tests) => format!("SURVIVED {tests} tests"),
            Fate::Unreached => "UNREACHED".to_owned(),
        }
    }

    /// From its [line](Fate::line).
    pub(crate) fn parse(line: &str) -> Option<Fate> {
        if let Some(by) = line.strip_prefix("caught by ") {
            return Some(Fate::Caught(by.to_owned()));
        }
        if let Some(tests) = line.strip_prefix("SURVIVED ") {
            let tests = tests.strip_suffix(" tests")?.parse().ok()?;
            return Some(Fate::Survived(tests));
        }
        (line == "UNREACHED").then_some(Fate::Unreached)
    }
}

/// What the rehearsal has shown of a test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rehearsed {
    /// `None` if its time was over.
    good: Option<bool>,
    time: Duration,
    reached: BTreeSet<u32>,
}

impl Rehearsed {
    pub(crate) fn line(&self) -> String {
        let good = match self.good {
            Some(true) => "passes",
            Some(false) => "fails",
            None => "hangs",
        };
        let reached = self.reached.iter().map(u32::to_string);
        let reached: Vec<String> = reached.collect();
        format!("{good}\t{}\t{}", self.time.as_millis(), reached.join(","))
    }

    /// From its [line](Rehearsed::line).
    pub(crate) fn parse(line: &str) -> Option<Rehearsed> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [good, time, reached] = parts[..] else { return None };
        let good = match good {
            "passes" => Some(true),
            "fails" => Some(false),
            _ => None,
        };
        let time = Duration::from_millis(time.parse().ok()?);
        let reached = reached.split(',').filter_map(|it| it.parse().ok());
        Some(Rehearsed { good, time, reached: reached.collect() })
    }
}

/// A test that takes no time has this much.
const PATIENCE: Duration = Duration::from_secs(20);

impl Suite {
    /// Builds the tests; `only` these programs, if any are named.
    pub(crate) fn build(tree: &Tree, only: &[String]) -> Result<Suite, String> {
        let mut words = vec!["test", "--no-run", "--message-format=json"];
        for name in only {
            match name.as_str() {
                "lib" => words.push("--lib"),
                name => words.extend(["--test", name]),
            }
        }
        let output = tree
            .cargo(&words)
            .output()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr);
            return Err(format!("The tests of the copy do not build:\n{log}"));
        }
        let mut programs = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            let file = line["executable"].as_str();
            let (Some(file), Some(true)) =
                (file, line["profile"]["test"].as_bool())
            else {
                continue;
            };
            let target = &line["target"];
            let name = match target["kind"][0].as_str() {
                Some("lib") => "lib",
                Some("test") => target["name"].as_str().unwrap_or_default(),
                // The tests of an example.
                _ => continue,
            };
            // Other packages of the workspace have a `lib` as well.
            let package = line["manifest_path"].as_str().map(Path::new);
            let package = package.and_then(Path::parent);
            let name = match package {
                Some(it) if it != tree.folder => {
                    let of = it.file_name().unwrap_or_default();
                    format!("{}-{name}", of.to_string_lossy())
                }
                _ => name.to_owned(),
            };
            if only.is_empty() || only.contains(&name) {
                programs.push((name, PathBuf::from(file)));
            }
        }
        Suite::new(tree.folder.clone(), programs)
    }

    /// Asks the programs for their tests.
    pub(crate) fn new(
        folder: PathBuf,
        programs: Vec<(String, PathBuf)>,
    ) -> Result<Suite, String> {
        let mut suite = Suite { folder, programs, tests: Vec::new() };
        for program in 0..suite.programs.len() {
            let mut list = suite.command(program);
            list.args(["--list", "--format", "terse"]);
            let list = program::finish(&mut list, PATIENCE)?;
            let names = list.text.lines();
            let names = names.filter_map(|line| line.strip_suffix(": test"));
            suite.tests.extend(names.map(|name| Test {
                program,
                name: name.to_owned(),
                time: Duration::ZERO,
                reached: BTreeSet::new(),
            }));
        }
        Ok(suite)
    }

    fn command(&self, program: usize) -> Command {
        let (_, file) = &self.programs[program];
        let mut command = program::guarded(&file.to_string_lossy());
        command
            .current_dir(&self.folder)
            // What a mutant hides must not look like a machine without it.
            .env("RUNGRAD_REQUIRE_GPU", "1")
            .env("POCL_CACHE_DIR", self.folder.join("target/pocl"))
            .env("RUST_BACKTRACE", "0")
            .env_remove("RUNGRAD_MUTANT")
            .env_remove("RUNGRAD_MUTANT_LOG");
        command
    }

    pub(crate) fn len(&self) -> usize {
        self.tests.len()
    }

    fn shown(&self, test: &Test) -> String {
        format!("{}: {}", self.programs[test.program].0, test.name)
    }

    /// Runs each test alone, without a mutant. Those that fail are left out
    /// and told. False where there was no time for all.
    pub(crate) fn rehearse(
        &mut self,
        jobs: usize,
        slowest: Duration,
        notes: &Notes,
        time: impl Fn() -> bool + Sync,
    ) -> Result<bool, String> {
        let logs = self.folder.join("target/reached");
        let _ = std::fs::remove_dir_all(&logs);
        std::fs::create_dir_all(&logs)
            .map_err(|error| format!("{}: {error}", logs.display()))?;
        let tests = std::mem::take(&mut self.tests);
        let done = AtomicUsize::new(0);
        let rehearse = |number: usize, test: &Test| {
            let name = self.shown(test);
            let found = match notes.rehearsed(&name) {
                Some(found) => found,
                None if !time() => return Ok(None),
                None => {
                    let log = logs.join(number.to_string());
                    let found = self.rehearse_one(test, &log, slowest)?;
                    notes.keep_rehearsed(&name, &found)?;
                    found
                }
            };
            let done = done.fetch_add(1, Relaxed) + 1;
            if done.is_multiple_of(50) {
                say(&format!("rehearsal: {done} of {} tests", tests.len()));
            }
            Ok(Some(found))
        };
        let rehearsed: Result<Vec<_>, String> =
            crew(jobs, &tests, rehearse).into_iter().collect();
        let mut all = true;
        let count = tests.len();
        for (mut test, found) in tests.into_iter().zip(rehearsed?) {
            let Some(Rehearsed { good, time, reached }) = found else {
                all = false;
                continue;
            };
            (test.time, test.reached) = (time, reached);
            let why = match good {
                Some(true) => {
                    self.tests.push(test);
                    continue;
                }
                Some(false) => "it fails without a mutant",
                None => "it takes too long",
            };
            let name = self.shown(&test);
            say(&format!("left out, for {why}: {name}"));
        }
        self.tests.sort_by_key(|test| test.time);
        if all {
            are_enough(self.tests.len(), count)?;
        }
        Ok(all)
    }

    fn rehearse_one(
        &self,
        test: &Test,
        log: &Path,
        slowest: Duration,
    ) -> Result<Rehearsed, String> {
        let mut tries = 0;
        let ending = loop {
            let mut command = self.command(test.program);
            command.args(["--exact", &test.name]);
            command.env("RUNGRAD_MUTANT_LOG", log);
            let ending =
                program::finish_apart(&mut command, &self.folder, slowest)?;
            tries += 1;
            // What a driver has compiled meanwhile, it has kept.
            if ending.status.is_some() || tries == 3 {
                break ending;
            }
        };
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let reached = text.lines().filter_map(|line| line.parse().ok());
        Ok(Rehearsed {
            good: ending.status.map(|status| status.success()),
            time: ending.time,
            reached: reached.collect(),
        })
    }

    /// Runs the tests that reach a mutant until one notices it: the quickest
    /// first, and more at once the longer none does.
    pub(crate) fn judge(&self, number: u32) -> Result<Fate, String> {
        let reach = self.tests.iter().filter(|t| t.reached.contains(&number));
        let reach: Vec<&Test> = reach.collect();
        if reach.is_empty() {
            return Ok(Fate::Unreached);
        }
        let (mut rest, mut size) = (&reach[..], 4);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(size.min(rest.len()));
            (rest, size) = (later, size * 2);
            let mut programs: BTreeMap<usize, Vec<&Test>> = BTreeMap::new();
            for test in now {
                programs.entry(test.program).or_default().push(test);
            }
            for (program, tests) in programs {
                if let Some(how) = self.notice(number, program, &tests)? {
                    return Ok(Fate::Caught(how));
                }
            }
        }
        Ok(Fate::Survived(reach.len()))
    }

    /// Runs these tests, and what failed once more: a test that a busy machine
    /// has failed notices nothing.
    fn notice(
        &self,
        number: u32,
        program: usize,
        tests: &[&Test],
    ) -> Result<Option<String>, String> {
        let run = |tests: &[&Test]| {
            let usual: Duration = tests.iter().map(|test| test.time).sum();
            let mut command = self.command(program);
            command.arg("--exact").arg("--test-threads=2");
            command.args(tests.iter().map(|test| &test.name));
            command.env("RUNGRAD_MUTANT", number.to_string());
            program::finish_apart(
                &mut command,
                &self.folder,
                PATIENCE + usual * 10,
            )
        };
        let ending = run(tests)?;
        if ending.good() {
            return Ok(None);
        }
        // One that crashes or hangs keeps others from their turn.
        let came_to_its_end =
            ending.status.is_some_and(|it| it.code().is_some());
        let has_failed = |test: &&Test| {
            let line = format!("test {} ... FAILED", test.name);
            ending.text.lines().any(|it| it == line)
        };
        let again: Vec<&Test> =
            tests.iter().copied().filter(has_failed).collect();
        let all = !came_to_its_end || again.is_empty();
        let again = if all { tests } else { &again[..] };
        let ending = run(again)?;
        if ending.good() {
            return Ok(None);
        }
        let Ending { status, text, .. } = ending;
        let failed = text.lines().find_map(|line| {
            line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
        });
        let among = match tests {
            [one] => self.shown(one),
            [first, ..] => {
                format!("{} or {} others", self.shown(first), tests.len() - 1)
            }
            [] => String::new(),
        };
        Ok(Some(match (failed, status) {
            (Some(name), _) => {
                format!("{}: {name}", self.programs[program].0)
            }
            (None, Some(status)) => format!("{among} ({status})"),
            (None, None) => format!("{among} (hangs)"),
        }))
    }
}

/// Refuses to measure the tests by those of them that are left, where a fourth
/// cannot run: what only the others reach would look untested.
fn are_enough(good: usize, all: usize) -> Result<(), String> {
    if good * 4 >= all * 3 {
        return Ok(());
    }
    Err(format!(
        "Only {good} of {all} tests pass without a mutant, which measures \
         nothing. Does this machine have an OpenCL driver, as RUNGRAD_REQUIRE_GPU \
         demands?"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_cannot_run_are_no_measure() {
        assert_eq!(are_enough(3, 4), Ok(()));
        assert_eq!(are_enough(0, 0), Ok(()));
        let sentence = are_enough(807, 1147).unwrap_err();
        assert!(sentence.starts_with("Only 807 of 1147 tests pass"));
    }

    #[test]
    fn what_was_found_is_read_again_from_its_line() {
        for fate in [
            Fate::Caught("lib: a_test (hangs)".into()),
            Fate::Survived(12),
            Fate::Unreached,
        ] {
            assert_eq!(Fate::parse(&fate.line()), Some(fate));
        }
        assert_eq!(Fate::parse("SURVIVED"), None);
        for (good, reached) in
            [(Some(true), vec![3, 17]), (Some(false), vec![]), (None, vec![1])]
        {
            let time = Duration::from_millis(1234);
            let reached = reached.into_iter().collect();
            let found = Rehearsed { good, time, reached };
            assert_eq!(Rehearsed::parse(&found.line()), Some(found));
        }
    }
}
