//! Plants faults in the sources and the kernels, one at a time, and lists
//! those that no test notices. `--help` says how.
//!
//! A build for each fault would take a night. So all of them are compiled at
//! once, each with its own number, and an environment variable turns one on.

mod kernel;
mod mutant;
mod named;
mod program;
mod rust;
mod sample;
mod suite;
mod tree;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use std::{env, fs, thread};

use mutant::Mutant;
use named::Named;
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
    let root = fs::canonicalize(&words.root)
        .map_err(|error| format!("{}: {error}", words.root.display()))?;
    let always = named::read(&root.join("mutants/planted.txt"))?;
    let survivors = named::read(&root.join("mutants/survivors.txt"))?;
    let mut sample = Sample::new(&root, words, &always, &survivors)?;
    if words.list {
        for mutant in sample.first() {
            print!("{}\n{}", mutant.name(), shown(&root, &mutant)?);
        }
        return Ok(true);
    }

    let tree = Tree::copy(&root)?;
    let planted = sample.plant(&tree)?;
    say(&format!("{} mutants are planted; the tests build", planted.len()));
    let mut suite = Suite::build(&tree, &words.tests)?;
    suite.rehearse(words.jobs, words.slowest)?;
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    say(&format!("{} tests, ready after {minutes:.1} min", suite.len()));

    let done = AtomicUsize::new(0);
    let fates = crew(words.jobs, &planted, |_, planted| {
        let fate = suite.judge(planted.number);
        let (number, name) = (planted.number, planted.mutant.name());
        let done = done.fetch_add(1, Relaxed) + 1;
        match &fate {
            Ok(Fate::Caught(_)) if !done.is_multiple_of(20) => {}
            Ok(Fate::Caught(_)) => say(&format!("{done} tried")),
            _ => say(&format!("{done} tried; {number} survives: {name}")),
        }
        fate
    });
    let report = Report::new(&planted, fates, &always, &survivors)?;
    let folder = root.join("target/mutants");
    // The copy has the texts that were tried; the project may have gone on.
    let text = report.text(&tree.folder, &survivors)?;
    fs::write(folder.join("report.txt"), text)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    print!("{}", report.unexplained(&tree.folder)?);
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    say(&format!("{} ({minutes:.1} min)", report.summary()));
    Ok(report.good())
}

/// A mutant as a diff.
fn shown(root: &Path, mutant: &Mutant) -> Result<String, String> {
    Ok(mutant.diff(&tree::read(&root.join(&mutant.file))?))
}

/// At least 95 of 100. Of few, two may survive: a handful that is drawn anew
/// with each change of the sources should not stop one.
fn enough(caught: usize, can: usize) -> bool {
    can - caught <= (can / 20).max(2)
}

/// What became of every mutant.
struct Report<'a> {
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    planted: &'a Planted,
    fate: Fate,
    /// One of planted.txt.
    always: bool,
    explained: bool,
}

impl Row<'_> {
    fn caught(&self) -> bool {
        matches!(self.fate, Fate::Caught(_))
    }
}

impl<'a> Report<'a> {
    fn new(
        planted: &'a [Planted],
        fates: Vec<Result<Fate, String>>,
        always: &[Named],
        survivors: &[Named],
    ) -> Result<Report<'a>, String> {
        let is = |list: &[Named], mutant: &Mutant| {
            list.iter().any(|named| named.is(mutant))
        };
        let rows = planted.iter().zip(fates).map(|(planted, fate)| {
            let always = is(always, &planted.mutant);
            let explained = is(survivors, &planted.mutant);
            Ok(Row { planted, fate: fate?, always, explained })
        });
        Ok(Report { rows: rows.collect::<Result<_, String>>()? })
    }

    /// Enough of what can be caught, each that is listed, and none of which
    /// it is said that nothing can notice it.
    fn good(&self) -> bool {
        let can = self.rows.iter().filter(|it| it.caught() || !it.explained);
        let caught = self.rows.iter().filter(|row| row.caught());
        let missed = self.rows.iter().any(|it| it.always && !it.caught());
        let noticed = self.noticed().next().is_some();
        enough(caught.count(), can.count()) && !missed && !noticed
    }

    /// Those that survivors.txt explains, and that a test notices.
    fn noticed(&self) -> impl Iterator<Item = &Row<'_>> {
        let rows = self.rows.iter();
        rows.filter(|it| it.explained && !it.always && it.caught())
    }

    fn summary(&self) -> String {
        let count = |kind: fn(&Row) -> bool| {
            self.rows.iter().filter(|row| kind(row)).count()
        };
        format!(
            "{} mutants: {} caught, {} survived, {} unreached; {} of these \
             are explained",
            self.rows.len(),
            count(|row| row.caught()),
            count(|row| matches!(row.fate, Fate::Survived(_))),
            count(|row| matches!(row.fate, Fate::Unreached)),
            count(|row| !row.caught() && row.explained),
        )
    }

    /// Those that survive without a word, as paragraphs of survivors.txt, and
    /// those of it that do not survive.
    fn unexplained(&self, root: &Path) -> Result<String, String> {
        let mut text = String::new();
        for row in self.noticed() {
            let Fate::Caught(by) = &row.fate else { continue };
            let name = row.planted.mutant.name();
            text += &format!("\nsurvivors.txt is wrong: {by} notices {name}\n");
        }
        for row in &self.rows {
            if row.caught() || row.explained {
                continue;
            }
            let Planted { number, mutant } = row.planted;
            let fate = match row.fate {
                Fate::Survived(tests) => format!("survives {tests} tests"),
                _ => "is reached by no test".to_owned(),
            };
            text += &format!(
                "\nmutant {number} {fate}: --one {}\n{}{}",
                mutant.place(),
                shown(root, mutant)?,
                Named::paragraph(mutant),
            );
        }
        Ok(text)
    }

    /// A line for each mutant, and what there is to say of the survivors.
    fn text(&self, root: &Path, why: &[Named]) -> Result<String, String> {
        let mut text = self.summary() + "\n\n";
        for row in &self.rows {
            let Planted { number, mutant } = row.planted;
            let fate = match &row.fate {
                Fate::Caught(by) => format!("caught by {by}"),
                Fate::Survived(tests) => format!("SURVIVED {tests} tests"),
                Fate::Unreached => "UNREACHED".to_owned(),
            };
            text += &format!("{number} {}: {fate}\n", mutant.name());
            let why = why.iter().find(|named| named.is(mutant));
            if let Some(why) = why
                && !row.caught()
            {
                text += &format!("    {}\n", why.why());
            }
        }
        Ok(text + &self.unexplained(root)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_of_a_hundred_may_survive_and_two_of_few() {
        assert!(enough(380, 400) && !enough(379, 400));
        assert!(enough(10, 12) && !enough(9, 12));
        assert!(enough(0, 0));
    }
}
