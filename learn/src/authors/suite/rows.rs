//! All tests, in rows beside each other: a test that waits, for a browser, for
//! a limit to pass or a child to end, and the last test of a program, which
//! runs alone, leave room for others.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::{env, thread};

use super::Work;
use crate::authors::changes::{Changes, today};
use crate::checkout::cannot_write;
use crate::command::Stop;
use crate::examples::LIGHT;
use crate::process::{self, Ending, Follow};

/// The crate's own tests, which take longest, and the longest of them, which
/// has a row of its own.
const OURS: &[&str] = &["--package", "rungrad", "--test", "*"];
const LONGEST: &str = "part3_unified";
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
const QUICK: &[&str] = &["--test", "part1_cpu", "--test", "part2_gpu"];
/// What takes long of these where nothing is optimized.
const SLOW: &[&str] =
    &["--", "--skip", "a_million_links", "--skip", "by_few_units"];
const QUICK_LONGEST: &[&str] = &[
    "--package",
    "rungrad",
    "--test",
    LONGEST,
    "--config",
    LIGHT,
    "--",
    "on_the_processor::",
    "on_an_opencl_device::",
    "--skip",
    "lazily",
];
/// How `--quick` names the other tests.
pub(super) const NOT_QUICK: &str = "of the tests those of the documents, the \
                                    book, the examples, the companion, the \
                                    kernels under Oclgrind, the planted \
                                    faults, a million links, the last places \
                                    of elementary functions, and of Part 3 all \
                                    beside its specification";

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

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| it.to_string()).collect()
}

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
        if words.starts_with(&OURS[..2]) {
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
        let first = [INNER, QUICK].concat();
        let all = [&first, &["--test", LONGEST][..]].concat();
        let rows = [("inner", strings(&[&first, SLOW].concat()))];
        self.in_rows(&[&all], &strings(QUICK_LONGEST), &rows)
    }

    /// Splits the crate's own tests into two rows, by the files they are in.
    fn ours(&self) -> [Vec<String>; 2] {
        let name = |file: fs::DirEntry| {
            let path = file.path();
            let is_test = match path.extension() {
                None => path.join("main.rs").is_file(),
                Some(extension) => extension == "rs",
            };
            is_test.then(|| Some(path.file_stem()?.to_str()?.to_string()))?
        };
        let files = fs::read_dir(self.checkout.root.join("tests"));
        let files = files.into_iter().flatten().flatten();
        let mut names: Vec<String> = files.filter_map(name).collect();
        names.sort();
        let (longest, others): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| name == LONGEST);
        if longest.is_empty() || others.is_empty() {
            return [strings(OURS), vec![]];
        }
        [longest, others].map(|names| {
            let words = names.into_iter().flat_map(|it| ["--test".into(), it]);
            strings(&OURS[..2]).into_iter().chain(words).collect()
        })
    }

    /// Builds all tests and runs them; the book builds the examples.
    pub(super) fn all_tests(&self) -> Result<Ending, Stop> {
        let [longest, rest] = self.ours();
        let rows = [
            ("ours", rest),
            ("inner", strings(INNER)),
            ("learn", strings(LEARN)),
            ("others", strings(OTHERS)),
            ("docs", strings(DOCS)),
        ];
        self.in_rows(&[INNER, OURS, LEARN, OTHERS], &longest, &rows)
    }

    /// Builds tests, and runs the longest and some rows of others beside them.
    /// The logs of the rows end up behind that of the longest.
    fn in_rows(
        &self,
        built: &[&[&str]],
        longest: &[String],
        rows: &[(&str, Vec<String>)],
    ) -> Result<Ending, Stop> {
        let (log, follow) = (self.log, process::follow);
        for words in built {
            let words = [words, &["--no-run"][..]].concat();
            let built = self.cargo_test(&words, log, follow)?;
            if built != Ending::Exited(0) {
                return Ok(built);
            }
        }
        let run = |words: &[String], log: &Path, follow: Follow| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.cargo_test(&words, log, follow)
        };
        let beside = |name: &str, words: &[String]| {
            let log = self.checkout.log(&format!("{}-{name}", self.name))?;
            let silent = process::follow_in_silence;
            Ok((run(words, &log, silent)?, log))
        };
        let rows = rows.iter().filter(|(_, words)| !words.is_empty());
        let (ours, rows) = thread::scope(|scope| {
            let rows: Vec<_> = rows
                .map(|(name, words)| scope.spawn(|| beside(name, words)))
                .collect();
            let ours = run(longest, log, follow);
            let rows = rows.into_iter().map(|row| row.join());
            let rows = rows.map(|it| it.expect("it waits and reads"));
            (ours, rows.collect::<Vec<Result<_, Stop>>>())
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
