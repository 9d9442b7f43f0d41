//! All tests, in rows beside each other: a test that waits, for a browser, for
//! a limit to pass or a child to end, and the last test of a program, which
//! runs alone, leave room for others.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Command;
use std::{env, thread};

use super::Work;
use crate::authors::changes::Changes;
use crate::checkout::cannot_write;
use crate::command::Stop;
use crate::examples::LIGHT;
use crate::process::{self, Ending};

/// The crate's own tests, which take longest.
const OURS: &[&str] = &["--package", "rungrad", "--test", "*"];
/// Those inside its sources. They are the crate compiled once more; optimized,
/// that takes ten times as long as they run.
const INNER: &[&str] = &["--package", "rungrad", "--lib", "--config", LIGHT];
/// Those of its documentation.
const DOCS: &[&str] = &["--package", "rungrad", "--doc"];
const LEARN: &[&str] = &["--package", "learn"];
const OTHERS: &[&str] =
    &["--workspace", "--exclude", "rungrad", "--exclude", "learn"];

/// The specification of each part.
const SPECIFICATION: &[&str] = &[
    "--package",
    "rungrad",
    "--test",
    "part1_cpu",
    "--test",
    "part2_gpu",
    "--test",
    "part3_unified",
];
/// How `--quick` names the other tests.
pub(super) const NOT_QUICK: &str = "of the tests those of the documents, the \
                                    book, the examples, the companion, the \
                                    kernels under Oclgrind and the planted \
                                    faults";

/// What a kernel is made by, or launched by.
const OF_KERNELS: [&str; 4] = [
    "kernels/",
    "src/opencl/",
    "src/part3_unified/backend/",
    "src/part3_unified/kernels",
];

/// How PoCL leaves its optimizer out.
const PLAIN: (&str, &str) = ("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable");
/// What a day says of it.
const LEFT: &str = "the crate's own tests: kernels as PoCL optimizes them, \
                    for none has changed";

/// Tells whether PoCL is to compile the kernels of these tests plainly. To
/// optimize one takes it a second, and all of them most of a cold run; so by
/// day, where none has changed, it does so for the examples and the exercises,
/// and each night for all.
fn is_plain(words: &[&str], changed: &[String]) -> bool {
    let is_ours = [OURS, INNER, SPECIFICATION].contains(&words);
    let is_of_kernels =
        |file: &String| OF_KERNELS.iter().any(|it| file.starts_with(it));
    is_ours && !changed.iter().any(is_of_kernels)
}

impl Work<'_> {
    /// Says to these tests what a day is: what takes long is left to a night by
    /// those of what has not changed.
    pub(super) fn of_a_day(&self, words: &[&str], command: &mut Command) {
        let Some(changes) = Changes::read(self.checkout) else { return };
        let changed = changes.files.join("\n");
        // A system has limits for what a variable holds.
        if changed.len() < 1 << 16 {
            command.env("RUNGRAD_DAY", changed);
        }
        let (name, value) = PLAIN;
        if is_plain(words, &changes.files) && env::var_os(name).is_none() {
            command.env(name, value);
        }
    }

    /// Lists what a day leaves of these tests, and none of them says itself.
    pub(super) fn left(&self) -> Option<String> {
        let changes = Changes::read(self.checkout)?;
        is_plain(OURS, &changes.files).then(|| LEFT.to_string())
    }

    /// Runs the tests inside the crate and those of the specification.
    pub(super) fn quick_tests(&self) -> Result<Ending, Stop> {
        let follow = process::follow;
        let inner = self.cargo_test(INNER, self.log, follow)?;
        let others = self.cargo_test(SPECIFICATION, self.log, follow)?;
        Ok(if inner == Ending::Exited(0) { others } else { inner })
    }

    /// Builds all tests and runs them; the book builds the examples. The logs
    /// of the other rows end up behind that of the crate's own.
    pub(super) fn all_tests(&self) -> Result<Ending, Stop> {
        let (log, follow) = (self.log, process::follow);
        for words in [INNER, OURS, LEARN, OTHERS] {
            let words = [words, &["--no-run"]].concat();
            let built = self.cargo_test(&words, log, follow)?;
            if built != Ending::Exited(0) {
                return Ok(built);
            }
        }
        let beside = |name: &str, words: &[&str]| {
            let log = self.checkout.log(&format!("{}-{name}", self.name))?;
            let silent = process::follow_in_silence;
            Ok((self.cargo_test(words, &log, silent)?, log))
        };
        let (ours, rows) = thread::scope(|scope| {
            let rows = [
                ("inner", INNER),
                ("learn", LEARN),
                ("others", OTHERS),
                ("docs", DOCS),
            ];
            let rows = rows
                .map(|(name, words)| scope.spawn(move || beside(name, words)));
            let ours = self.cargo_test(OURS, log, follow);
            (ours, rows.map(|row| row.join().expect("it waits and reads")))
        });
        let mut ended = ours?;
        for row in rows {
            let (ending, own) = row?;
            let added = OpenOptions::new().append(true).open(log);
            added
                .and_then(|mut log| log.write_all(&fs::read(&own)?))
                .map_err(|error| cannot_write(log, &error))?;
            if ended == Ending::Exited(0) {
                ended = ending;
            }
        }
        Ok(ended)
    }
}
