//! All tests, in four rows beside each other: a test that waits, for a
//! browser, for a limit to pass or a child to end, and the last test of a
//! program, which runs alone, leave room for others.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::thread;

use super::Work;
use crate::checkout::cannot_write;
use crate::command::Stop;
use crate::process::{self, Ending};

/// The crate's own tests, which take longest.
const OURS: &[&str] = &["--package", "rungrad", "--tests"];
/// Those of its documentation.
const DOCS: &[&str] = &["--package", "rungrad", "--doc"];
const LEARN: &[&str] = &["--package", "learn"];
const OTHERS: &[&str] =
    &["--workspace", "--exclude", "rungrad", "--exclude", "learn"];

impl Work<'_> {
    /// Builds all tests and runs them. The logs of the other rows end up behind
    /// that of the crate's own.
    pub(super) fn all_tests(&self) -> Result<Ending, Stop> {
        let (log, follow) = (self.log, process::follow);
        let built = ["--workspace", "--no-run"];
        let built = self.cargo_test(&built, log, follow)?;
        if built != Ending::Exited(0) {
            return Ok(built);
        }
        let beside = |name: &str, words: &[&str]| {
            let log = self.checkout.log(&format!("{}-{name}", self.name))?;
            let silent = process::follow_in_silence;
            Ok((self.cargo_test(words, &log, silent)?, log))
        };
        let (ours, rows) = thread::scope(|scope| {
            let rows = [("learn", LEARN), ("others", OTHERS), ("docs", DOCS)]
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
