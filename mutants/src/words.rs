//! What was typed.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

pub(crate) const HELP: &str = "\
Plants faults in the sources and the kernels, one at a time, runs the tests
that reach each of them, and lists those that no test has noticed.

usage: cargo run --release --manifest-path mutants/Cargo.toml -- [OPTION]..

  --count NUMBER   how many are planted, besides those of planted.txt (400)
  --seed NUMBER    which ones (1)
  --only PATH      in files whose path begins like this: src/part2_gpu
  --tests NAMES    only these test programs, with commas; `lib` is the crate's
                   own: lib,part1_cpu
  --one NAME       this one alone, by its place: src/base/graph.rs:20:15
  --explained      those of survivors.txt instead, which no test may notice
  --list           prints what would be planted, with the lines, and ends
  --slowest SECONDS
                   tests that keep the processor longer are left out (60)
  --minutes NUMBER begins nothing more after that time, and reports on the rest
  --prepare FOLDER plants and builds, and writes there all that a machine
                   without cargo needs to try them
  --prepared FOLDER
                   tries those of such a folder; with --count the first ones
                   alone. What is found stays there: another run goes on with it
  --jobs NUMBER    how many are tried at once (the number of cores)
  --root FOLDER    the project (the one that this tool belongs to)
  --help           this page

All mutants are compiled at once, into a copy under target/mutants/tree, and
an environment variable says which one is on. After a run, for mutant 17:

  cd target/mutants/tree && RUNGRAD_MUTANT=17 cargo test

The report is target/mutants/report.txt. A mutant is caught when a test fails,
crashes or hangs, twice. mutants/planted.txt lists those that are always tried, and
mutants/survivors.txt explains those that no test can notice: they are no
faults, so others are planted in their places. The command fails when it
catches fewer than 95 of 100 (of few, two may survive), or misses one of
planted.txt; and with --explained when a test notices one.";

/// A run as it was asked for.
pub(crate) struct Words {
    /// 400, or all that were prepared.
    pub(crate) count: Option<usize>,
    pub(crate) seed: u64,
    pub(crate) only: Option<String>,
    pub(crate) tests: Vec<String>,
    pub(crate) one: Option<String>,
    /// Those of survivors.txt, and no others.
    pub(crate) explained: bool,
    pub(crate) list: bool,
    pub(crate) slowest: Duration,
    pub(crate) minutes: Option<f64>,
    pub(crate) prepare: Option<PathBuf>,
    pub(crate) prepared: Option<PathBuf>,
    pub(crate) jobs: usize,
    pub(crate) root: PathBuf,
    pub(crate) help: bool,
}

impl Words {
    /// From the words after the program's name.
    pub(crate) fn new(
        mut typed: impl Iterator<Item = String>,
    ) -> Result<Words, String> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut words = Words {
            count: None,
            seed: 1,
            only: None,
            tests: Vec::new(),
            one: None,
            explained: false,
            list: false,
            slowest: Duration::from_secs(60),
            minutes: None,
            prepare: None,
            prepared: None,
            jobs: cores,
            root: here.parent().expect("a project").to_path_buf(),
            help: false,
        };
        while let Some(word) = typed.next() {
            match word.as_str() {
                "--explained" => words.explained = true,
                "--list" => words.list = true,
                "--help" | "-h" => words.help = true,
                _ => {
                    let known = [
                        "--count",
                        "--seed",
                        "--only",
                        "--tests",
                        "--one",
                        "--jobs",
                        "--slowest",
                        "--minutes",
                        "--prepare",
                        "--prepared",
                        "--root",
                    ];
                    if !known.contains(&word.as_str()) {
                        return Err(format!(
                            "There is no {word:?}; --help lists what there \
                             is."
                        ));
                    }
                    let value = typed.next().ok_or_else(|| {
                        format!("{word} wants a value; --help says which.")
                    })?;
                    words.take(&word, value)?;
                }
            }
        }
        Ok(words)
    }

    fn take(&mut self, word: &str, value: String) -> Result<(), String> {
        let number = || {
            value.parse::<u64>().map_err(|_| {
                format!("{word} wants a whole number, not {value:?}.")
            })
        };
        match word {
            "--count" => self.count = Some(number()? as usize),
            "--seed" => self.seed = number()?,
            "--slowest" => self.slowest = Duration::from_secs(number()?),
            "--minutes" => self.minutes = Some(number()? as f64),
            "--prepare" => self.prepare = Some(PathBuf::from(value)),
            "--prepared" => self.prepared = Some(PathBuf::from(value)),
            "--jobs" => self.jobs = number()?.max(1) as usize,
            "--tests" => {
                self.tests = value.split(',').map(str::to_owned).collect();
            }
            "--only" => self.only = Some(value),
            "--one" => self.one = Some(value),
            _ => self.root = PathBuf::from(value),
        }
        Ok(())
    }
}
