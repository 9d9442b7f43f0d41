//! All tests, in rows beside each other: a test that waits, for a browser, for
//! a limit to pass or a child to end, and the last test of a program, which
//! runs alone, leave room for others.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::{env, thread};

use super::Work;
use learn::checkout::cannot_write;
use learn::command::Stop;
use learn::examples::LIGHT;
use learn::process::{self, Ending, Follow};

/// The crate's own tests, which take longest, and the longest of them, which
/// has a row of its own.
pub(super) const OURS: &[&str] = &["--package", "rungrad", "--test", "*"];
const LONGEST: &str = "part3_unified";
/// Those inside its sources. They are the crate compiled once more; optimized,
/// that takes ten times as long as they run.
const INNER: &[&str] = &["--package", "rungrad", "--lib", "--config", LIGHT];
/// Those of its documentation.
const DOCS: &[&str] = &["--package", "rungrad", "--doc"];
const LEARN: &[&str] = &["--package", "learn"];
const OTHERS: &[&str] =
    &["--workspace", "--exclude", "rungrad", "--exclude", "learn"];

/// How PoCL leaves its optimizer out, which takes a second for a kernel.
const PLAIN: (&str, &str) = ("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable");

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| it.to_string()).collect()
}

impl Work<'_> {
    /// Lets PoCL compile kernels without its optimizer in the fast tier. The
    /// listings of the book have optimized ones in any case.
    pub(super) fn compile_kernels_plainly(&self, command: &mut Command) {
        let (name, value) = PLAIN;
        if !self.all && env::var_os(name).is_none() {
            command.env(name, value);
        }
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
            let mut words: Vec<&str> =
                words.iter().map(String::as_str).collect();
            // In the documentation, `ignore` marks examples that cannot run.
            if self.all && words != DOCS {
                words.extend(["--", "--include-ignored"]);
            }
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
