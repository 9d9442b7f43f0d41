//! From saving a file to its verdict, with everything that happens between:
//! `cargo learn watch` sees the save, cargo compiles the check, the check runs
//! a wrong answer, finds what is wrong and draws the tape.
//!
//! `cargo bench -p learn --bench verdict`, and after `--` the exercises that
//! are meant, if not all.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How often each file is saved, after a first check that warms everything.
const SAVES: usize = 9;

/// One exercise for each part, the second one a kernel. Each has a wrong answer
/// that swaps its operands, so that every run finds the same fault.
const EXERCISES: [&str; 3] = ["mul_rule", "mul_kernel", "mul_function"];

fn main() {
    let given = std::env::args().skip(1).filter(|it| !it.starts_with('-'));
    let mut ids: Vec<String> = given.collect();
    if ids.is_empty() {
        ids = EXERCISES.map(String::from).into();
    }
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get());
    println!("from the save to the verdict, {SAVES} saves each, {cores} cores");
    for id in &ids {
        let (file, text) = wrong_answer(id).unwrap_or_else(|sentence| {
            eprintln!("{sentence}");
            std::process::exit(2)
        });
        match measure(id, &file, &text) {
            Some(mut times) => {
                times.sort();
                let [first, median, last] =
                    [0, SAVES / 2, SAVES - 1].map(|at| times[at].as_secs_f64());
                println!(
                    "{id:<16} median {median:.2} s  ({first:.2} to {last:.2})"
                );
            }
            None => println!("{id:<16} SKIPPED: no verdict on this machine"),
        }
    }
}

/// Measures the time of each save; none where the exercise cannot be checked.
fn measure(id: &str, file: &Path, text: &str) -> Option<Vec<Duration>> {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
    let mut watch = Watch::new(id);
    // The first check, with whatever has to be compiled for it.
    watch.verdict()?;
    let mut times = Vec::new();
    for save in 0..SAVES {
        fs::write(file, format!("{text}// Save {save}.\n")).unwrap();
        let start = Instant::now();
        watch.verdict()?;
        times.push(start.elapsed());
    }
    Some(times)
}

/// Finds a known wrong answer, and where a learner would have it, or says why
/// there is none.
fn wrong_answer(id: &str) -> Result<(PathBuf, String), String> {
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises");
    let rows = fs::read_to_string(course.join("exercises.toml")).unwrap();
    let mut rows = rows.split("\n[[exercise]]\n").skip(1);
    let row = rows.find(|row| value(row, "id") == Some(id));
    let row = row.ok_or(format!(
        "There is no exercise {id:?}; `cargo learn list` shows all of them."
    ))?;
    // Everybody rejects it at once: without Oclgrind, and without a limit.
    let is_plain = |it: &&str| {
        value(it, "needs").is_none() && value(it, "seconds").is_none()
    };
    let answers = row.split("\n[[exercise.wrong]]\n").skip(1);
    let plain = answers.filter(is_plain);
    let names: Vec<&str> = plain.filter_map(|it| value(it, "file")).collect();
    let swapped = names.iter().find(|it| it.starts_with("swapped."));
    let name = swapped.or(names.first()).ok_or(format!(
        "{id} has no wrong answer that is rejected without Oclgrind: measure \
         another exercise."
    ))?;
    let text = fs::read_to_string(course.join("wrong").join(id).join(name));
    let file = exercises().join(value(row, "file").unwrap());
    Ok((file, text.unwrap()))
}

/// Finds what a row says under a key, at the first line that does.
fn value<'a>(row: &'a str, key: &str) -> Option<&'a str> {
    let said = |line: &'a str| line.strip_prefix(key)?.strip_prefix(" = ");
    let said = row.lines().find_map(said)?;
    Some(said.trim_matches('"'))
}

/// Makes a folder of its own: the learner's files and progress are left alone.
fn exercises() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_learn")).ancestors().nth(2);
    target.unwrap().join("bench/exercises")
}

/// A companion that watches.
struct Watch {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watch {
    fn new(id: &str) -> Watch {
        let mut child = Command::new(env!("CARGO_BIN_EXE_learn"))
            .args(["watch", id])
            .env("RUNGRAD_EXERCISES", exercises())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Watch { child, lines }
    }

    /// Reads on to the end of the next verdict.
    fn verdict(&mut self) -> Option<()> {
        let mut fails = false;
        for line in self.lines.by_ref().map_while(Result::ok) {
            fails |= line.starts_with("failing:");
            if line.starts_with("Waiting") {
                assert!(fails, "a wrong answer must fail");
                return Some(());
            }
            if line.starts_with("skipped") {
                return None;
            }
        }
        panic!("the companion has stopped");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
