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

/// One exercise for each part, the second one a kernel. The wrong answer of
/// each swaps its operands, so that every run finds the same fault.
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
        match measure(id) {
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
fn measure(id: &str) -> Option<Vec<Duration>> {
    let (file, text) = wrong_answer(id);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, &text).unwrap();
    let mut watch = Watch::new(id);
    // The first check, with whatever has to be compiled for it.
    watch.verdict()?;
    let mut times = Vec::new();
    for save in 0..SAVES {
        fs::write(&file, format!("{text}// Save {save}.\n")).unwrap();
        let start = Instant::now();
        watch.verdict()?;
        times.push(start.elapsed());
    }
    Some(times)
}

/// Finds a known wrong answer, and where a learner would have it.
fn wrong_answer(id: &str) -> (PathBuf, String) {
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises");
    let first = |folder: &Path, name: &str| {
        let files = fs::read_dir(folder).into_iter().flatten();
        let mut files = files.map(|it| it.unwrap().path());
        files.find(|it| it.file_stem().is_some_and(|stem| stem == name))
    };
    let parts = ["part1_cpu", "part2_gpu", "part3_unified"];
    let mut places = parts.into_iter().filter_map(|part| {
        let file = first(&course.join("solutions").join(part), id)?;
        Some(exercises().join(part).join(file.file_name()?))
    });
    let file = places.next().unwrap_or_else(|| panic!("no exercise {id:?}"));
    let answer = first(&course.join("wrong").join(id), "swapped");
    let answer = answer.unwrap_or_else(|| panic!("{id} has no \"swapped\""));
    (file, fs::read_to_string(answer).unwrap())
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
