//! The result of a step, read from its output, and the summary of all steps.

use std::collections::BTreeSet;
use std::time::Duration;

use learn::command::Stop;
use learn::process::{self, Ending};
use learn::terminal::{human_duration, say};

/// The result of a step. A step without tests counts as one.
#[derive(Default)]
pub(super) struct Report {
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// Tests of the slow tier, which only `--all` runs.
    ignored: usize,
    /// Tests that could not run. A test that skips on two devices counts once.
    skipped: usize,
    failures: Vec<String>,
    /// The name of each skipped test with a reason.
    skips: Vec<String>,
    /// Why the step failed.
    pub(super) complaint: Option<String>,
}

impl Report {
    pub(super) fn passed() -> Report {
        Report { passed: 1, ..Report::default() }
    }

    pub(super) fn failure(name: &str, complaint: &str) -> Report {
        let failures = vec![format!("{name}: {complaint}")];
        let complaint = Some(complaint.to_string());
        Report { failed: 1, failures, complaint, ..Report::default() }
    }

    pub(super) fn skipped(name: &str, reason: &str) -> Report {
        let skips = vec![format!("{name}: {reason}")];
        Report { skipped: 1, skips, ..Report::default() }
    }

    /// Reads the output of `cargo test`.
    ///
    /// A test that cannot run prints `SKIPPED <name>: <reason>` and returns, so
    /// libtest counts it as passed; here it counts as skipped. A test program
    /// that crashes prints no result; here it counts as a failure.
    pub(super) fn of_tests(log: &str) -> Report {
        let mut report = Report::default();
        // The program that has not printed its result, and its skipped tests.
        let mut program = None;
        let mut skipped = BTreeSet::new();
        for line in log.lines() {
            if let Some(name) = program_name(line) {
                report.crashed(program.replace(name));
                skipped.clear();
            } else if let Some(result) = line.strip_prefix("test result: ") {
                let passed = number(result, "passed");
                report.passed += passed.saturating_sub(skipped.len());
                report.failed += number(result, "failed");
                report.ignored += number(result, "ignored");
                report.skipped += skipped.len();
                program = None;
            } else if let Some(skip) = after_skipped(line) {
                skipped.insert(skip.split(": ").next().unwrap_or_default());
                if !report.skips.iter().any(|it| it == skip) {
                    report.skips.push(skip.to_string());
                }
            } else if let Some(test) = line.strip_suffix(" ... FAILED") {
                let name = test.trim_start_matches("test ");
                let program = program.unwrap_or_default();
                report.failures.push(format!("{program}: {name}"));
            }
        }
        report.crashed(program);
        report
    }

    fn crashed(&mut self, program: Option<&str>) {
        if let Some(program) = program {
            self.failed += 1;
            self.failures.push(format!("{program}: ended without a result"));
        }
    }

    /// Reads the output of `cargo xtask verify`: the lines that begin with
    /// `FAILED` or `SKIPPED`, and the last line, which contains the counts.
    pub(super) fn of_verify(log: &str) -> Report {
        let last = log.lines().last().unwrap_or_default();
        let named = |word| {
            let lines = log.lines().filter_map(move |it| it.strip_prefix(word));
            lines.map(str::to_string).collect()
        };
        Report {
            passed: number(last, "passed"),
            failed: number(last, "failed"),
            skipped: number(last, "skipped"),
            failures: named("FAILED "),
            skips: named("SKIPPED "),
            ..Report::default()
        }
    }

    /// Adds how the command ended. A step that ran nothing fails.
    pub(super) fn ended(
        mut self,
        command: &str,
        step: &str,
        ending: &Ending,
    ) -> Report {
        let complaint = match ending {
            Ending::Exited(0) if self.passed + self.failed > 0 => return self,
            Ending::Exited(0) => format!("{command} has run nothing"),
            ending => process::failure_message(command, ending),
        };
        if self.failed == 0 {
            self.failed = 1;
            self.failures.push(format!("{step}: {complaint}"));
        }
        self.complaint = Some(complaint);
        self
    }

    pub(super) fn verdict(&self) -> &'static str {
        match (self.failed, self.passed) {
            (0, 0) => "skipped",
            (0, _) => "ok",
            _ => "FAILED",
        }
    }
}

/// Returns the name of the test program that cargo announces.
fn program_name(line: &str) -> Option<&str> {
    let line = line.trim();
    let doc_tests = line.strip_prefix("Doc-tests ").map(|_| line);
    doc_tests.or_else(|| {
        let (name, path) = line.strip_prefix("Running ")?.split_once(" (")?;
        path.ends_with(')').then(|| name.trim_start_matches("unittests "))
    })
}

/// Returns the text after `SKIPPED` at the beginning of a line, or after the
/// name of a test, which libtest prints first if it runs one test at a time.
fn after_skipped(line: &str) -> Option<&str> {
    let begin = match line.strip_prefix("test ") {
        Some(test) => test.split_once(" ... ")?.1,
        None => line,
    };
    begin.strip_prefix("SKIPPED ")
}

/// Returns the number before a word.
fn number(result: &str, word: &str) -> usize {
    let mut parts = result.split([';', ',', '.']);
    let found =
        parts.find_map(|it| it.trim().strip_suffix(word)?.trim().parse().ok());
    found.unwrap_or(0)
}

/// Prints the table and the line of counts.
pub(super) fn summary(rows: &[(&str, Report, Duration)]) -> Result<(), Stop> {
    let list = |head: &str, of: fn(&Report) -> &Vec<String>| {
        let lines: Vec<&String> =
            rows.iter().flat_map(|(_, it, _)| of(it)).collect();
        if !lines.is_empty() {
            say!();
            say!("{head}");
        }
        for line in lines {
            say!("  {line}");
        }
    };
    list("SKIPPED, and why:", |it| &it.skips);
    list("FAILED:", |it| &it.failures);
    say!();
    say!("step       result   passed  failed  ignored  skipped        time");
    let mut all = Report::default();
    for (name, report, time) in rows {
        let Report { passed, failed, ignored, skipped, .. } = report;
        let (verdict, time) = (report.verdict(), human_duration(*time));
        say!(
            "{name:<10} {verdict:<8} {passed:>6} {failed:>7} {ignored:>8} \
             {skipped:>8} {time:>11}"
        );
        all.passed += passed;
        all.failed += failed;
        all.ignored += ignored;
        all.skipped += skipped;
    }
    let Report { passed, failed, ignored, skipped, .. } = all;
    say!();
    if ignored > 0 {
        say!(
            "{ignored} slow tests were ignored; cargo learn test --all runs them"
        );
    }
    say!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(Stop::Said(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
     Running unittests src/lib.rs (target/debug/deps/rungrad-0a)
test ops::tests::order ... FAILED
test slow ... ignored, takes an hour
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
     Running tests/part2_gpu.rs (target/debug/deps/part2_gpu-0b)
SKIPPED mul_on_the_device: no OpenCL driver
SKIPPED mul_on_the_device: no second device
he said SKIPPED it: for fun
test sum_on_the_device ... SKIPPED sum_on_the_device: no: driver
ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
   Doc-tests rungrad
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
     Running tests/crashes.rs (target/debug/deps/crashes-0c)
test one ... ok
error: test failed, to rerun pass `--test crashes`
";

    /// Promise: A skipped test does not count as passed, and a test program
    /// that crashes counts as a failure.
    #[test]
    fn the_tests_of_all_programs_are_counted() {
        let report = Report::of_tests(LOG);
        let Report { passed, failed, ignored, skipped, .. } = report;
        assert_eq!([passed, failed, ignored, skipped], [1 + 1 + 12, 2, 1, 2]);
        let failures = [
            "src/lib.rs: ops::tests::order",
            "tests/crashes.rs: ended without a result",
        ];
        assert_eq!(report.failures, failures);
        let skips = [
            "mul_on_the_device: no OpenCL driver",
            "mul_on_the_device: no second device",
            "sum_on_the_device: no: driver",
        ];
        assert_eq!(report.skips, skips);
    }
}
