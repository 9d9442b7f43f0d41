//! Plants faults in the sources and the kernels, one at a time, and lists
//! those that no test notices. `--help` says how.
//!
//! A build for each fault would take a night. So all of them are compiled at
//! once, each with its own number, and an environment variable turns one on.

mod kernel;
mod mutant;
mod named;
mod notes;
mod prepared;
mod program;
mod report;
mod rust;
mod sample;
mod suite;
mod tree;
mod words;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use std::{env, fs, thread};

use notes::Notes;
use report::Report;
use sample::Sample;
use suite::{Fate, Suite};
use tree::{Planted, Tree};
use words::Words;

fn main() -> ExitCode {
    let words = match Words::new(env::args().skip(1)) {
        Ok(words) => words,
        Err(sentence) => {
            eprintln!("{sentence}");
            return ExitCode::from(2);
        }
    };
    if words.help {
        println!("{}", words::HELP);
        return ExitCode::SUCCESS;
    }
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn say(line: &str) {
    println!("{line}");
}

/// Hands the items to some threads and collects what they make, in order.
fn crew<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = work(number, item);
                    let mut made = made.lock().expect("no panic before");
                    made.push((number, result));
                }
            });
        }
    });
    let mut made = made.into_inner().expect("no panic before");
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, result)| result).collect()
}

fn run(words: &Words) -> Result<bool, String> {
    let start = Instant::now();
    let root = words.prepared.as_ref().unwrap_or(&words.root);
    let root = fs::canonicalize(root)
        .map_err(|error| format!("{}: {error}", root.display()))?;
    let always = named::read(&root.join("mutants/planted.txt"))?;
    let survivors = named::read(&root.join("mutants/survivors.txt"))?;
    let (planted, mut suite, notes) = if words.prepared.is_some() {
        let prepared = prepared::open(&root)?;
        let (planted, suite) = prepared.first(words.count, &always);
        (planted, suite, Notes::kept(&root)?)
    } else {
        let mut sample = Sample::new(&root, words, &always, &survivors)?;
        if words.list {
            for mutant in sample.first() {
                print!("{}\n{}", mutant.name(), report::shown(&root, &mutant)?);
            }
            return Ok(true);
        }
        let tree = Tree::copy(&root)?;
        let planted = sample.plant(&tree)?;
        say(&format!("{} mutants are planted; the tests build", planted.len()));
        (planted, Suite::build(&tree, &words.tests)?, Notes::none())
    };
    if let Some(folder) = &words.prepare {
        say(&prepared::write(folder, &root, &suite, &planted)?);
        return Ok(true);
    }

    let minutes = || start.elapsed().as_secs_f64() / 60.0;
    let time = || words.minutes.is_none_or(|most| minutes() < most);
    let all = suite.rehearse(words.jobs, words.slowest, &notes, time)?;
    let ready = minutes();
    say(&format!("{} tests, ready after {ready:.1} min", suite.len()));
    let fates = match all {
        true => judge(&suite, &planted, words.jobs, &notes, time)?,
        false => planted.iter().map(|_| None).collect(),
    };
    let left = fates.iter().filter(|fate| fate.is_none()).count();
    let report = Report::new(&planted, fates, &always, &survivors);
    // The copy has the texts that were tried; the project may have gone on.
    let text = report.text(&suite.folder, &survivors)?;
    let path = match words.prepared {
        Some(_) => root.join("report.txt"),
        None => root.join("target/mutants/report.txt"),
    };
    fs::write(&path, text)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    print!("{}", report.unexplained(&suite.folder)?);
    if left > 0 {
        say(&format!("The time is over: {left} are left for another run."));
    }
    say(&format!("{} ({:.1} min)", report.summary(), minutes()));
    Ok(report.good() && left == 0)
}

/// The fate of each, and none of those for which there was no time.
fn judge(
    suite: &Suite,
    planted: &[Planted],
    jobs: usize,
    notes: &Notes,
    time: impl Fn() -> bool + Sync,
) -> Result<Vec<Option<Fate>>, String> {
    let done = AtomicUsize::new(0);
    let judge = |_, planted: &Planted| {
        let number = planted.number;
        if let Some(fate) = notes.fate(number) {
            return Ok(Some(fate));
        }
        if !time() {
            return Ok(None);
        }
        let fate = suite.judge(number)?;
        notes.keep_fate(number, &fate)?;
        let name = planted.mutant.name();
        let done = done.fetch_add(1, Relaxed) + 1;
        match &fate {
            Fate::Caught(_) if !done.is_multiple_of(20) => {}
            Fate::Caught(_) => say(&format!("{done} tried")),
            _ => say(&format!("{done} tried; {number} survives: {name}")),
        }
        Ok(Some(fate))
    };
    crew(jobs, planted, judge).into_iter().collect()
}
