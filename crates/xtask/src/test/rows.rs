//! The tests, in groups (rows) that run at the same time, because a test that
//! waits for a browser, a time limit or a child process leaves cores idle.

use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

use super::Work;
use learn::checkout::cannot_write;
use learn::command::Stop;
use learn::examples::LIGHT_CONFIG;
use learn::machine;
use learn::process::{self, Ending, RunFn};

/// The slowest test program of the crate, which gets a separate row.
const LONGEST: &str = "part3_unified";

/// Disables PoCL's optimizer, which takes a second for each kernel.
const PLAIN: (&str, &str) = ("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable");

/// A selection of tests with its name.
struct Row {
    name: &'static str,
    words: Vec<String>,
}

impl Work<'_> {
    /// Makes PoCL compile kernels without its optimizer. The listings of the
    /// book and the nightly workflow always use the optimizer.
    pub(super) fn compile_kernels_plainly(&self, command: &mut Command) {
        let (name, value) = PLAIN;
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }

    /// Returns the arguments of cargo that turn MPI on, for all tests on a
    /// machine that has it.
    pub(super) fn mpi(&self) -> &'static [&'static str] {
        match self.all && machine::has_mpi() {
            true => &["--features", "cluster/mpi"],
            false => &[],
        }
    }

    /// Returns the rows. Each test of the workspace is in exactly one of them.
    fn rows(&self) -> Vec<Row> {
        let row = |name, words: &str| Row {
            name,
            words: words.split(' ').map(str::to_string).collect(),
        };
        let files = fs::read_dir(self.checkout.root.join("tests"));
        let files = files.into_iter().flatten().flatten();
        let is_test = |path: &Path| match path.extension() {
            None => path.join("main.rs").is_file(),
            Some(extension) => extension == "rs",
        };
        let paths = files.map(|it| it.path()).filter(|it| is_test(it));
        let mut names: Vec<String> = paths
            .filter_map(|it| Some(it.file_stem()?.to_str()?.to_string()))
            .filter(|name| name != LONGEST)
            .collect();
        names.sort();
        let mut others = row("ours", "--package rungrad");
        others
            .words
            .extend(names.into_iter().flat_map(|it| ["--test".into(), it]));
        // The crate is compiled once more for its unit tests. Optimizing it
        // would take ten times as long as they run.
        let light = LIGHT_CONFIG.join(" ");
        let inner = format!("--package rungrad --lib {light}");
        let mut rest = row("others", "--workspace --exclude rungrad");
        rest.words.extend(["--exclude".into(), "learn".into()]);
        rest.words.extend(self.mpi().iter().map(ToString::to_string));
        vec![
            row("longest", &format!("--package rungrad --test {LONGEST}")),
            others,
            row("inner", &inner),
            row("learn", "--package learn"),
            rest,
            row(DOCS, "--package rungrad --doc"),
        ]
    }

    /// Builds all tests, runs them, and collects their output in the log.
    pub(super) fn all_tests(&self) -> Result<Ending, Stop> {
        let rows = self.rows();
        for row in rows.iter().filter(|row| row.name != DOCS) {
            let (no_run, follow) = (&["--no-run"], process::run_with_status);
            let built = self.cargo_test(row, no_run, self.log, follow)?;
            if built != Ending::Exited(0) {
                return Ok(built);
            }
        }
        let run = |row: &Row, follow: RunFn| {
            let log =
                self.checkout.log(&format!("{}-{}", self.name, row.name))?;
            // In the documentation, `ignore` marks examples that cannot run.
            let words: &[&str] = match self.all && row.name != DOCS {
                true => &["--", "--include-ignored"],
                false => &[],
            };
            let ending = self.cargo_test(row, words, &log, follow)?;
            Ok((ending, fs::read(&log).unwrap_or_default()))
        };
        let ended: Vec<Result<_, Stop>> = thread::scope(|scope| {
            let (first, beside) = rows.split_first().expect("there are rows");
            let beside: Vec<_> = beside
                .iter()
                .map(|row| scope.spawn(|| run(row, process::run_quietly)))
                .collect();
            let first = run(first, process::run_with_status);
            let beside = beside.into_iter().map(|it| it.join().expect("a row"));
            [first].into_iter().chain(beside).collect()
        });
        let mut all = Ending::Exited(0);
        let mut said = Vec::new();
        for row in ended {
            let (ending, text) = row?;
            said.extend(text);
            if all == Ending::Exited(0) {
                all = ending;
            }
        }
        fs::write(self.log, said).map_err(|it| cannot_write(self.log, &it))?;
        Ok(all)
    }

    fn cargo_test(
        &self,
        row: &Row,
        words: &[&str],
        log: &Path,
        follow: RunFn,
    ) -> Result<Ending, Stop> {
        let mut command = self.checkout.cargo(&["test", "--no-fail-fast"]);
        // The excerpt of a failure has room for its message, but not for a
        // backtrace.
        command.args(&row.words).args(words).env("RUST_BACKTRACE", "0");
        if row.words[1] == "rungrad" {
            self.compile_kernels_plainly(&mut command);
        }
        follow(self.name, &mut command, log, self.limit)
    }
}

/// The row of the documentation examples.
const DOCS: &str = "docs";
