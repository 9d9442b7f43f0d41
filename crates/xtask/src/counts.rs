//! What a run of `cargo test` counted, read from what it printed.

use std::collections::BTreeSet;

/// A test that did not really run, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skip {
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// How many tests passed, and which did not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// A test that skips on two devices is one, with two reasons.
    pub(crate) skipped: usize,
    pub(crate) failures: Vec<String>,
    pub(crate) skips: Vec<Skip>,
    /// Tests of the slow tier, which only `--all` runs.
    pub(crate) ignored: usize,
}

/// One test binary's share: from its `Running` line to its `test result:`.
#[derive(Default)]
struct Section {
    name: String,
    /// Tests that passed by their own word, but said that they skipped.
    skips: BTreeSet<Skip>,
    /// Tests that libtest left out, because they are slow.
    ignored: usize,
    failures: Vec<String>,
    ended: bool,
}

impl Counts {
    /// Reads a log of `cargo test`, standard output and error together.
    ///
    /// A test that cannot run prints `SKIPPED <name>: <reason>` and returns,
    /// so libtest calls it passed; here it is a skip. A test binary that
    /// crashed never prints its result; here it is a failure.
    pub(crate) fn read(log: &str) -> Counts {
        let mut counts = Counts::default();
        let mut section = Section { ended: true, ..Section::default() };
        for line in log.lines() {
            let line = line.trim_end();
            if let Some(name) = heading(line) {
                counts.close(section);
                section = Section { name, ..Section::default() };
            } else if let Some(result) = line.strip_prefix("test result: ") {
                counts.add(&section, result);
                section.ended = true;
            } else if let Some(skip) = said("SKIPPED", line) {
                section.skips.insert(skip);
            } else if let Some(test) = line.strip_prefix("test ") {
                section.note(test);
            }
        }
        counts.close(section);
        counts
    }

    /// Reads what `cargo xtask verify` said: its last line counts, the lines
    /// before it name what was skipped and what failed.
    pub(crate) fn of_verify(log: &str) -> Counts {
        let mut counts = Counts::default();
        for line in log.lines() {
            if let Some(fault) = line.strip_prefix("FAILED ") {
                counts.failures.push(fault.to_string());
            }
            counts.skips.extend(said("SKIPPED", line));
        }
        let last = log.lines().last().unwrap_or_default().replace(',', ";");
        counts.passed = number(&last, "passed");
        counts.failed = number(&last, "failed");
        counts.skipped = number(&last, "skipped");
        counts
    }

    fn add(&mut self, section: &Section, result: &str) {
        let passed = number(result, "passed");
        let names: BTreeSet<&str> =
            section.skips.iter().map(|skip| skip.name.as_str()).collect();
        self.passed += passed.saturating_sub(names.len());
        self.skipped += names.len();
        self.ignored += section.ignored;
        self.failed += number(result, "failed");
    }

    fn close(&mut self, section: Section) {
        if !section.ended {
            self.failed += 1;
            let name = section.name;
            self.failures.push(format!("{name}: ended without a result"));
        }
        self.failures.extend(section.failures);
        self.skips.extend(section.skips);
    }
}

impl Section {
    /// Counts one line of libtest: `name ... ok`.
    fn note(&mut self, test: &str) {
        let Some((name, verdict)) = test.split_once(" ... ") else { return };
        if verdict == "FAILED" {
            self.failures.push(format!("{}: {name}", self.name));
        } else if verdict.starts_with("ignored") {
            self.ignored += 1;
        }
    }
}

/// Finds the name of the test binary that cargo announces.
fn heading(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("doc tests of {name}"));
    }
    let rest = line.strip_prefix("Running ")?;
    let (name, binary) = rest.split_once(" (")?;
    binary.ends_with(')').then(|| name.trim_start_matches("unittests ").into())
}

/// Finds what a test has said behind this word. With one test thread, libtest's
/// `test name ... ` stands before it on the same line.
fn said(word: &str, line: &str) -> Option<Skip> {
    let begin = format!("{word} ");
    let said = line.strip_prefix(&begin).or_else(|| {
        let (test, said) = line.split_once(&format!(" ... {begin}"))?;
        test.starts_with("test ").then_some(said)
    })?;
    let (name, reason) = said.split_once(": ")?;
    Some(Skip { name: name.into(), reason: reason.into() })
}

fn number(result: &str, word: &str) -> usize {
    let words: Vec<&str> = result.split([' ', ';']).collect();
    let at = words.iter().position(|it| *it == word).unwrap_or(0);
    at.checked_sub(1).and_then(|at| words[at].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
     Running unittests src/lib.rs (target/debug/deps/rungrad-0a)

running 3 tests
test shape::tests::rows_broadcast ... ok
test ops::tests::order ... FAILED
test slow ... ignored, takes an hour

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/part2_gpu.rs (target/debug/deps/part2_gpu-0b)
SKIPPED mul_on_the_device: no OpenCL driver
test mul_on_the_device ... ok
test sum_on_the_device ... SKIPPED sum_on_the_device: no: driver
ok
test plain ... ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
   Doc-tests rungrad
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

    fn skip(name: &str, reason: &str) -> Skip {
        Skip { name: name.into(), reason: reason.into() }
    }

    #[test]
    fn results_of_all_binaries_are_added_up() {
        let counts = Counts::read(LOG);
        assert_eq!((counts.passed, counts.failed), (1 + 1 + 12, 1));
        assert_eq!(counts.failures, ["src/lib.rs: ops::tests::order"]);
    }

    /// Promise: A skipped test does not count as passed.
    #[test]
    fn a_skipped_test_is_no_passed_test() {
        let counts = Counts::read(LOG);
        assert_eq!(counts.ignored, 1);
        let expected = [
            skip("mul_on_the_device", "no OpenCL driver"),
            skip("sum_on_the_device", "no: driver"),
        ];
        assert_eq!((counts.skipped, &counts.skips[..]), (2, &expected[..]));
    }

    #[test]
    fn a_test_that_skips_on_two_devices_is_one_skip_with_two_reasons() {
        let log = "Running tests/a.rs (target/debug/deps/a-0)\n\
                   SKIPPED both: no gpu\nSKIPPED both: no cpu\n\
                   test result: ok. 2 passed; 0 failed; 0 ignored;";
        let counts = Counts::read(log);
        assert_eq!((counts.passed, counts.skipped), (1, 1));
        assert_eq!(counts.skips.len(), 2);
    }

    /// Promise: A test binary that crashes counts as a failure.
    #[test]
    fn a_binary_that_crashes_is_a_failure() {
        let log = "Running tests/a.rs (target/debug/deps/a-0)\n\
                   test one ... ok\n\
                   error: test failed, to rerun pass `--test a`\n\
                   Running tests/b.rs (target/debug/deps/b-0)\n\
                   test result: ok. 2 passed; 0 failed; 0 ignored;";
        let counts = Counts::read(log);
        assert_eq!((counts.passed, counts.failed), (2, 1));
        assert_eq!(counts.failures, ["tests/a.rs: ended without a result"]);
    }

    #[test]
    fn a_learner_s_words_that_look_like_a_skip_are_none() {
        let log = "Running tests/a.rs (target/debug/deps/a-0)\n\
                   he said SKIPPED it: for fun\n\
                   test result: ok. 1 passed; 0 failed; 0 ignored;";
        let counts = Counts::read(log);
        assert_eq!((counts.passed, counts.skipped), (1, 0));
    }
}
