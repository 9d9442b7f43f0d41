//! `cargo xtask test`: everything that CI runs, step by step.

mod report;
mod rows;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use learn::book;
use learn::checkout::Checkout;
use learn::command::{Args, Command, Stop};
use learn::machine;
use learn::process::{self, Ending};
use learn::terminal::{human_duration, say};
use report::Report;

pub(crate) const COMMAND: Command = Command {
    name: "test",
    usage: "[--all] [--only STEP] [--limit SECONDS] [--list]",
    summary: "run the check: format, lints, tests, exercises and the book",
    page: include_str!("test/help.txt").trim_ascii_end(),
    run,
};

/// One thing that CI checks.
struct Step {
    name: &'static str,
    what: &'static str,
    /// Enough for a cold build and all tests on two slow cores.
    minutes: u64,
    /// Whether it runs only with `--all`.
    slow: bool,
    work: fn(&Work) -> Result<Report, Stop>,
}

/// The arguments of a step.
struct Work<'a> {
    checkout: &'a Checkout,
    log: &'a Path,
    name: &'static str,
    limit: Duration,
    all: bool,
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        what: "cargo fmt: every file is formatted",
        minutes: 2,
        slow: false,
        work: |it| it.cargo(&["fmt", "--all", "--check"], &[]),
    },
    Step {
        name: "lints",
        what: "cargo clippy: no warnings",
        minutes: 15,
        slow: false,
        work: |it| {
            let args: &[&str] = &["clippy", "--workspace", "--all-targets"];
            let deny = &["--", "-D", "warnings"];
            it.cargo(&[args, it.mpi(), deny].concat(), &[])
        },
    },
    // The tests of the pages need mdBook, which this step compiles if it is
    // not installed.
    Step {
        name: "book",
        what: "mdbook build: every page, and no complaint",
        minutes: 15,
        slow: false,
        work: |it| {
            let mdbook = book::mdbook(it.checkout)?;
            let complaints = book::build(it.checkout, &mdbook, it.log)?;
            Ok(match complaints.first() {
                None => Report::passed(),
                Some(first) => Report::failure(it.name, first),
            })
        },
    },
    Step {
        name: "tests",
        what: "cargo test: the tests of every package, and of the docs",
        minutes: 45,
        slow: false,
        work: |it| it.tests(),
    },
    Step {
        name: "verify",
        what: "cargo xtask verify: the stub, the solution and answers of \
               every exercise",
        minutes: 40,
        slow: false,
        work: |it| it.verify(),
    },
    Step {
        name: "docs",
        what: "cargo doc: no broken link, nothing undocumented",
        minutes: 15,
        slow: false,
        work: |it| {
            let args = ["doc", "--workspace", "--no-deps"];
            it.cargo(&args, &[("RUSTDOCFLAGS", "-D warnings")])
        },
    },
    Step {
        name: "pages",
        what: "the live figures compiled anew and asked, and an audit of every \
               page",
        minutes: 30,
        slow: true,
        work: |it| {
            let checked = it.cargo(&["xtask", "page", "--check"], &[])?;
            if checked.complaint.is_some() {
                return Ok(checked);
            }
            it.cargo(&["xtask", "page", "--audit"], &[])
        },
    },
    Step {
        name: "prose",
        what: "cargo xtask prose: no phrase that the project avoids",
        minutes: 2,
        slow: false,
        work: |it| it.cargo(&["xtask", "prose"], &[]),
    },
    Step {
        name: "spelling",
        what: "codespell: no word that is known to be wrong",
        minutes: 2,
        slow: false,
        work: |it| match machine::find_program("codespell") {
            Some(program) => it.one(std::process::Command::new(program)),
            None => Ok(Report::skipped(
                it.name,
                "codespell is not installed (cargo learn setup --authors)",
            )),
        },
    },
];

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let only = args.option("--only")?;
    let limit = args.option("--limit")?.map(|it| seconds(&it)).transpose()?;
    let list = args.flag("--list");
    let all = args.flag("--all");
    args.rest(0)?;
    if list {
        for step in STEPS {
            say!("  {:<9} {}", step.name, step.what);
        }
        return Ok(());
    }
    let is_chosen = |it: &&Step| match &only {
        Some(name) => name == it.name,
        None => all || !it.slow,
    };
    let steps: Vec<&Step> = STEPS.iter().filter(is_chosen).collect();
    if steps.is_empty() {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(Stop::Usage(format!(
            "there is no step {:?}; the steps are {}",
            only.unwrap_or_default(),
            names.join(", ")
        )));
    }
    let mut rows = Vec::new();
    for &Step { name, what, minutes, work, .. } in steps {
        say!("{name}: {what}");
        let start = Instant::now();
        let log = checkout.log(name)?;
        let limit = limit.unwrap_or(Duration::from_secs(minutes * 60));
        let report = work(&Work { checkout, log: &log, name, limit, all });
        // If a step cannot run, it fails, and the next steps run.
        let report = report.unwrap_or_else(|stop| {
            Report::failure(name, stop.sentence().unwrap_or("it stopped"))
        });
        let time = start.elapsed();
        tell(checkout, &report, &log, time);
        rows.push((name, report, time));
    }
    report::summary(&rows)
}

fn seconds(text: &str) -> Result<Duration, Stop> {
    text.parse().map(Duration::from_secs).map_err(|_| {
        Stop::Usage(format!(
            "--limit is {text:?}, and should be a whole number of seconds"
        ))
    })
}

/// Prints one line about a finished step and, if it failed, the relevant lines
/// of its log.
fn tell(checkout: &Checkout, report: &Report, log: &Path, time: Duration) {
    let time = human_duration(time);
    let Some(complaint) = &report.complaint else {
        say!("  {} ({time})", report.verdict());
        return;
    };
    say!("  FAILED ({time}): {complaint}");
    for line in process::excerpt(log, 40) {
        say!("  | {line}");
    }
    say!("  The whole log is {}", checkout.shown(log));
}

impl Work<'_> {
    /// Runs a command of cargo that passes or fails as a whole.
    fn cargo(
        &self,
        args: &[&str],
        env: &[(&str, &str)],
    ) -> Result<Report, Stop> {
        let mut command = self.checkout.cargo(args);
        command.envs(env.iter().copied());
        self.one(command)
    }

    /// Runs a command that passes or fails as a whole.
    fn one(&self, mut command: std::process::Command) -> Result<Report, Stop> {
        command.current_dir(&self.checkout.root);
        let ending = process::run_with_status(
            self.name,
            &mut command,
            self.log,
            self.limit,
        )?;
        if ending == Ending::Exited(0) {
            return Ok(Report::passed());
        }
        let complaint = process::failure_message(self.name, &ending);
        Ok(Report::failure(self.name, &complaint))
    }

    /// Runs the tests and counts each of them.
    fn tests(&self) -> Result<Report, Stop> {
        let ending = self.all_tests()?;
        Ok(self.read(Report::of_tests).ended("cargo test", self.name, &ending))
    }

    /// Runs `verify` and counts each stub, solution and wrong answer.
    fn verify(&self) -> Result<Report, Stop> {
        let mut command = self.checkout.cargo(&["xtask", "verify"]);
        if !self.all {
            command.arg("--sample");
        }
        if env::var_os("CI").is_some() {
            command.arg("--committed");
        }
        self.compile_kernels_plainly(&mut command);
        let ending = process::run_with_status(
            self.name,
            &mut command,
            self.log,
            self.limit,
        )?;
        let what = "cargo xtask verify";
        Ok(self.read(Report::of_verify).ended(what, self.name, &ending))
    }

    fn read(&self, read: fn(&str) -> Report) -> Report {
        let text = fs::read(self.log).unwrap_or_default();
        read(&String::from_utf8_lossy(&text))
    }
}
