//! All tests, in rows beside each other: a test that waits, for a browser, for
//! a limit to pass or a child to end, and the last test of a program, which
//! runs alone, leave room for others.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Command;
use std::{env, thread};

use super::Work;
use crate::authors::changes::{Changes, today};
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

/// What `--quick` runs: the tests inside the crate, and the specification of
/// each part, of Part 3 on a processor and on a device. All are compiled as
/// [`INNER`] is.
const QUICK: [&[&str]; 2] = [
    &[
        "--package",
        "rungrad",
        "--lib",
        "--test",
        "part1_cpu",
        "--test",
        "part2_gpu",
        "--config",
        LIGHT,
    ],
    &[
        "--package",
        "rungrad",
        "--test",
        "part3_unified",
        "--config",
        LIGHT,
        "--",
        "on_the_processor",
        "on_an_opencl_device",
        "--skip",
        "lazily",
    ],
];
/// How `--quick` names the other tests.
pub(super) const NOT_QUICK: &str = "of the tests those of the documents, the \
                                    book, the examples, the companion, the \
                                    kernels under Oclgrind, the planted \
                                    faults, and of Part 3 all beside its \
                                    specification";

/// What texts of kernels are in, or made by.
const KERNELS: [&str; 3] = ["kernels/", "src/opencl/", "exercises/"];
/// What only looks at those of the exercises.
const LOOKS: &str = "exercises/src/";

/// How PoCL leaves its optimizer out. To optimize a kernel takes it a second,
/// and all of them most of a cold run; so by day, where no kernel has changed,
/// it does so for the listings of the book, and each night for all.
const PLAIN: (&str, &str) = ("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable");
/// What a day says of it.
const LEFT: &str = "kernels as PoCL optimizes them, but for the listings of \
                    the book, for no kernel has changed";

impl Work<'_> {
    /// Says to these tests what a day is: what takes long is left to a night by
    /// those of what has not changed.
    pub(super) fn of_a_day(&self, words: &[&str], command: &mut Command) {
        if let Some(changes) = Changes::read(self.checkout) {
            let changed = changes.files.join("\n");
            // A system has limits for what a variable holds.
            if changed.len() < 1 << 16 {
                command.env("RUNGRAD_DAY", changed);
                command.env("RUNGRAD_TODAY", today().to_string());
            }
        }
        if [OURS, INNER].contains(&words) || QUICK.contains(&words) {
            self.plainly(command);
        }
    }

    /// Lets PoCL compile kernels plainly where none has changed.
    pub(super) fn plainly(&self, command: &mut Command) {
        let (name, value) = PLAIN;
        if self.left().is_some() && env::var_os(name).is_none() {
            command.env(name, value);
        }
    }

    /// Says what a day leaves of all kernels.
    pub(super) fn left(&self) -> Option<String> {
        let changes = Changes::read(self.checkout)?;
        let is_of_kernels = |file: &String| {
            KERNELS.iter().any(|it| file.starts_with(it))
                && !file.starts_with(LOOKS)
        };
        let has_changed = changes.files.iter().any(is_of_kernels);
        (!has_changed).then(|| format!("{}: {LEFT}", self.name))
    }

    /// Runs the tests inside the crate and those of the specification.
    pub(super) fn quick_tests(&self) -> Result<Ending, Stop> {
        let run = |words| self.cargo_test(words, self.log, process::follow);
        let [first, second] = QUICK.map(run);
        let (first, second) = (first?, second?);
        Ok(if first == Ending::Exited(0) { second } else { first })
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
