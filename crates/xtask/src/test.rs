//! `cargo learn test`: everything that CI runs, step by step.

mod rows;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::counts::{Counts, Skip};
use learn::checkout::Checkout;
use learn::command::{Command, Stop, Words};
use learn::process::{self, Ending, Follow};
use learn::terminal::{say, spoken};
use learn::{book, machine};
use rows::OURS;

pub(crate) const COMMAND: Command = Command {
    name: "test",
    usage: "[--all] [--only STEP] [--list]",
    summary: "run the check: format, lints, tests, exercises and the book",
    page: include_str!("test/help.txt").trim_ascii_end(),
    run,
};

/// One thing that CI checks.
struct Step {
    name: &'static str,
    what: &'static str,
    /// Long enough for a cold build on two slow cores.
    minutes: u64,
    work: fn(&Work) -> Result<Report, Stop>,
}

/// What a step has to work with.
struct Work<'a> {
    checkout: &'a Checkout,
    log: &'a Path,
    name: &'static str,
    limit: Duration,
    all: bool,
}

/// What came out of a step. A step that is not made of tests counts as one.
#[derive(Default)]
struct Report {
    counts: Counts,
    complaint: Option<String>,
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        what: "cargo fmt: every file is formatted",
        minutes: 2,
        work: |it| it.one(&["fmt", "--all", "--check"], &[]),
    },
    Step {
        name: "lints",
        what: "cargo clippy: no warnings",
        minutes: 15,
        work: |it| {
            let args = ["clippy", "--workspace", "--all-targets", "--"];
            it.one(&[&args[..], &["-D", "warnings"]].concat(), &[])
        },
    },
    Step {
        name: "tests",
        what: "cargo test: the tests of every package, and of the docs",
        minutes: 20,
        work: |it| it.tests(),
    },
    Step {
        name: "verify",
        what: "cargo xtask verify: the stub, the solution and answers of every exercise",
        minutes: 15,
        work: |it| it.verify(),
    },
    Step {
        name: "docs",
        what: "cargo doc: no broken link, nothing undocumented",
        minutes: 15,
        work: |it| {
            let args = ["doc", "--workspace", "--no-deps"];
            it.one(&args, &[("RUSTDOCFLAGS", "-D warnings")])
        },
    },
    Step {
        name: "book",
        what: "mdbook build: every page, and no complaint",
        minutes: 2,
        work: |it| it.book(),
    },
    Step {
        name: "spelling",
        what: "codespell: no word that is known to be wrong",
        minutes: 2,
        work: |it| it.spelling(),
    },
];

fn run(checkout: &Checkout, mut words: Words) -> Result<(), Stop> {
    let only = words.option("--only")?;
    let list = words.flag("--list");
    let all = words.flag("--all");
    words.rest(0)?;
    if list {
        for step in STEPS {
            say!("  {:<9} {}", step.name, step.what);
        }
        return Ok(());
    }
    let steps = chosen(only.as_deref())?;
    let mut rows = Vec::new();
    for step in steps {
        say!("{}: {}", step.name, step.what);
        let start = Instant::now();
        let log = checkout.log(step.name)?;
        let name = step.name;
        let limit = limit(step)?;
        let report =
            (step.work)(&Work { checkout, log: &log, name, limit, all });
        // What stops a step is that step's failure, and the others go on.
        let report = report.unwrap_or_else(|stop| {
            Report::failure(name, stop.sentence().unwrap_or("it stopped"))
        });
        let time = start.elapsed();
        tell(checkout, &report, &log, time);
        rows.push((name, report, time));
    }
    summary(&rows)
}

fn chosen(only: Option<&str>) -> Result<Vec<&'static Step>, Stop> {
    let Some(only) = only else { return Ok(STEPS.iter().collect()) };
    if let Some(step) = STEPS.iter().find(|step| step.name == only) {
        return Ok(vec![step]);
    }
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    Err(Stop::Usage(format!(
        "there is no step {only:?}; the steps are {}",
        names.join(", ")
    )))
}

fn limit(step: &Step) -> Result<Duration, Stop> {
    let Ok(text) = env::var("RUNGRAD_STEP_LIMIT") else {
        return Ok(Duration::from_secs(step.minutes * 60));
    };
    text.parse().map(Duration::from_secs).map_err(|_| {
        Stop::Usage(format!(
            "RUNGRAD_STEP_LIMIT is {text:?}, and should be a whole number of \
             seconds"
        ))
    })
}

impl Report {
    fn passed() -> Report {
        let counts = Counts { passed: 1, ..Counts::default() };
        Report { counts, complaint: None }
    }

    fn failure(name: &str, complaint: &str) -> Report {
        let failures = vec![format!("{name}: {complaint}")];
        let counts = Counts { failed: 1, failures, ..Counts::default() };
        Report { counts, complaint: Some(complaint.to_string()) }
    }

    fn skipped(name: &str, reason: &str) -> Report {
        let skip = Skip { name: name.into(), reason: reason.into() };
        let skips = vec![skip];
        let counts = Counts { skipped: 1, skips, ..Counts::default() };
        Report { counts, complaint: None }
    }

    fn verdict(&self) -> &'static str {
        let counts = &self.counts;
        match (counts.failed, counts.passed) {
            (0, 0) => "skipped",
            (0, _) => "ok",
            _ => "FAILED",
        }
    }
}

impl Work<'_> {
    /// Runs a step that is one cargo command and passes or fails as a whole.
    fn one(&self, args: &[&str], env: &[(&str, &str)]) -> Result<Report, Stop> {
        let mut command = self.checkout.cargo(args);
        command.envs(env.iter().copied());
        let ending =
            process::follow(self.name, &mut command, self.log, self.limit)?;
        if ending == Ending::Exited(0) {
            return Ok(Report::passed());
        }
        let what = format!("cargo {}", args[0]);
        let complaint = process::complaint(&what, &ending);
        Ok(Report::failure(self.name, &complaint))
    }

    /// Runs the tests, of which every one counts on its own.
    fn tests(&self) -> Result<Report, Stop> {
        let ending = self.all_tests()?;
        let text = fs::read(self.log).unwrap_or_default();
        let mut counts = Counts::read(&String::from_utf8_lossy(&text));
        if ending == Ending::Exited(0) {
            if counts.passed + counts.failed > 0 {
                return Ok(Report { counts, complaint: None });
            }
            return Ok(Report::failure(self.name, "no test has run"));
        }
        let complaint = process::complaint("cargo test", &ending);
        if counts.failed == 0 {
            counts.failed = 1;
            counts.failures.push(format!("{}: {complaint}", self.name));
        }
        Ok(Report { counts, complaint: Some(complaint) })
    }

    fn cargo_test(
        &self,
        words: &[&str],
        log: &Path,
        follow: Follow,
    ) -> Result<Ending, Stop> {
        let mut command = self.checkout.cargo(&["test", "--no-fail-fast"]);
        // The excerpt of a failure is for its sentence, not for its stack.
        command.args(words).env("RUST_BACKTRACE", "0");
        if words.starts_with(&OURS[..2]) {
            self.compile_kernels_plainly(&mut command);
        }
        follow(self.name, &mut command, log, self.limit)
    }

    /// Runs `verify`, where every stub, solution and wrong answer counts on
    /// its own. In CI the learner's files hold the stubs, and are compared
    /// with them.
    fn verify(&self) -> Result<Report, Stop> {
        let mut command = self.checkout.cargo(&["xtask", "verify"]);
        if !self.all {
            command.arg("--sample");
        }
        if env::var_os("CI").is_some() {
            command.arg("--committed");
        }
        self.compile_kernels_plainly(&mut command);
        let ending =
            process::follow(self.name, &mut command, self.log, self.limit)?;
        let text = fs::read(self.log).unwrap_or_default();
        let counts = Counts::of_verify(&String::from_utf8_lossy(&text));
        if ending == Ending::Exited(0) && counts.passed > 0 {
            return Ok(Report { counts, complaint: None });
        }
        let complaint = process::complaint("cargo xtask verify", &ending);
        if counts.failed == 0 {
            return Ok(Report::failure(self.name, &complaint));
        }
        Ok(Report { counts, complaint: Some(complaint) })
    }

    fn book(&self) -> Result<Report, Stop> {
        let mdbook = book::mdbook(self.checkout)?;
        let complaints = book::build(self.checkout, &mdbook, self.log)?;
        Ok(match complaints.first() {
            None => Report::passed(),
            Some(first) => Report::failure(self.name, first),
        })
    }

    fn spelling(&self) -> Result<Report, Stop> {
        if machine::program("codespell").is_none() {
            let reason = "codespell is not installed (cargo learn setup \
                          --authors)";
            return Ok(Report::skipped(self.name, reason));
        }
        let mut command = std::process::Command::new("codespell");
        command.current_dir(&self.checkout.root);
        let ending =
            process::follow(self.name, &mut command, self.log, self.limit)?;
        if ending == Ending::Exited(0) {
            return Ok(Report::passed());
        }
        let complaint = process::complaint("codespell", &ending);
        Ok(Report::failure(self.name, &complaint))
    }
}

/// Says what is said at the end of a step: one line, and when it failed the
/// lines that matter.
fn tell(checkout: &Checkout, report: &Report, log: &Path, time: Duration) {
    let time = spoken(time);
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

fn summary(rows: &[(&str, Report, Duration)]) -> Result<(), Stop> {
    let skips: Vec<&Skip> =
        rows.iter().flat_map(|(_, it, _)| &it.counts.skips).collect();
    if !skips.is_empty() {
        say!();
        say!("SKIPPED, and why:");
        for skip in &skips {
            say!("  {}: {}", skip.name, skip.reason);
        }
    }
    let failures = rows.iter().flat_map(|(_, it, _)| &it.counts.failures);
    let failures: Vec<&String> = failures.collect();
    if !failures.is_empty() {
        say!();
        say!("FAILED:");
        for failure in &failures {
            say!("  {failure}");
        }
    }
    say!();
    say!("step       result   passed  failed  ignored  skipped        time");
    let mut total = [0; 4];
    for (name, report, time) in rows {
        let counts = &report.counts;
        let Counts { passed, failed, ignored, skipped, .. } = *counts;
        let row = [passed, failed, ignored, skipped];
        let verdict = report.verdict();
        let time = spoken(*time);
        say!(
            "{name:<10} {verdict:<8} {passed:>6} {failed:>7} {ignored:>8} \
             {skipped:>8} {time:>11}"
        );
        for (sum, count) in total.iter_mut().zip(row) {
            *sum += count;
        }
    }
    let [passed, failed, ignored, skipped] = total;
    say!();
    if ignored > 0 {
        say!(
            "{ignored} slow tests were ignored; cargo learn test --all runs them"
        );
    }
    say!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(Stop::Said(1)) }
}
