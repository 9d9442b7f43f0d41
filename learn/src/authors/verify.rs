//! `cargo learn verify`: every exercise in all three directions. The stub
//! fails with its own task, the solution passes, and each known wrong answer
//! fails with the words that it deserves.
//!
//! It works on copies, so it says nothing of what a learner wrote.

mod bench;

use std::fs;
use std::path::Path;

use crate::authors::committed;
use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course::{self, Exercise};
use crate::exercises::levels;
use crate::exercises::program::Verdict;
use crate::exercises::stub::SolutionFile;
use crate::machine;
use crate::terminal::{cut, say};
use bench::Bench;

pub(crate) const COMMAND: Command = Command {
    name: "verify",
    usage: "[EXERCISE ..] [--committed]",
    summary: "prove every exercise: stub, solution and wrong answers",
    page: "\
The author's check. For every exercise, in a folder of its own: the stub that is
generated from the solution fails with its own task, the solution passes, as do
right answers unlike it, and each known wrong answer fails with the words that it
deserves. Your own files
are not looked at. With names, only these exercises.

--committed, as in CI, also compares the stubs in exercises/ with the generated
ones, and looks for warnings, for what is not formatted and for files that
belong to no exercise. UPDATE=1 with it writes the stubs: it replaces what
stands in the files that learners edit.

Kernels are skipped where there is no OpenCL device, and are a failure there
with RUNGRAD_REQUIRE_GPU=1.",
    run,
};

/// What can stand in a learner's file, and what its verdict must be.
struct Variant {
    name: String,
    text: String,
    wanted: Wanted,
    /// A program that only this variant takes, and that is not installed.
    lacks: Option<String>,
    /// The processor's time for one that takes all that it is given.
    seconds: Option<u64>,
    /// What was drawn, for a variant of the exercise.
    again: Option<String>,
}

enum Wanted {
    /// The task, and where it stands.
    Task,
    Pass,
    /// A failure at this level, and at none before it.
    Level(String),
    /// A failure that says these words.
    Words(String),
    /// A failure: the answer to the exercise is none to its variant.
    Refused,
}

/// What came out for one exercise.
#[derive(Default)]
struct Row {
    stub: Tally,
    solution: Tally,
    wrong: Tally,
}

#[derive(Default)]
struct Tally {
    proven: usize,
    failed: usize,
    skipped: usize,
}

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    let mut words = Words::new(COMMAND.name, args);
    let with_tree = words.flag("--committed");
    let (ids, _) = words.rest(usize::MAX)?;
    let mut exercises = course::exercises(checkout)?;
    for id in &ids {
        course::find(&exercises, id)?;
    }
    exercises.retain(|it| ids.is_empty() || ids.contains(&it.id));
    if exercises.is_empty() {
        let why = "exercises/exercises.toml has no row: nothing to verify";
        return Err(Stop::Failed(why.to_string()));
    }
    // All of it is built in one folder.
    let _alone = checkout.alone("verify");
    let bench = Bench::new(checkout)?;
    let variants = exercises
        .iter()
        .map(|exercise| variants(checkout, exercise))
        .collect::<Result<Vec<Vec<Variant>>, Stop>>()?;
    let mut faults = Vec::new();
    let mut skips = Vec::new();
    let mut rows: Vec<Row> = exercises.iter().map(|_| Row::default()).collect();
    let rounds = variants.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        let present: Vec<usize> = (0..exercises.len())
            .filter(|&at| round < variants[at].len())
            .collect();
        let placed: Vec<(&Exercise, &Variant)> = present
            .iter()
            .map(|&at| (&exercises[at], &variants[at][round]))
            .collect();
        let verdicts = bench.round(round, &placed)?;
        for (&at, found) in present.iter().zip(&verdicts) {
            let (exercise, variant) = (&exercises[at], &variants[at][round]);
            let tally = match variant.wanted {
                Wanted::Task => &mut rows[at].stub,
                Wanted::Pass | Wanted::Level(_) => &mut rows[at].solution,
                Wanted::Words(_) | Wanted::Refused => &mut rows[at].wrong,
            };
            let finding = match found {
                Ok((verdict, said)) => judge(exercise, variant, *verdict, said),
                Err(why) => Finding::Fault(format!("{}: {why}", variant.name)),
            };
            match finding {
                Finding::Proven => tally.proven += 1,
                Finding::Skipped(why) => {
                    tally.skipped += 1;
                    let skip = format!("verify {}: {why}", exercise.id);
                    if !skips.contains(&skip) {
                        skips.push(skip);
                    }
                }
                Finding::Fault(what) => {
                    tally.failed += 1;
                    faults.push(what);
                }
            }
        }
    }
    let in_tree = match with_tree {
        true => committed::faults(
            checkout,
            &exercises,
            ids.is_empty(),
            &bench.folder,
        )?,
        false => Vec::new(),
    };
    table(&exercises, &rows);
    for skip in &skips {
        say!("SKIPPED {skip}");
    }
    for fault in faults.iter().chain(&in_tree) {
        say!("FAILED {fault}");
    }
    let count = |of: fn(&Tally) -> usize| -> usize {
        rows.iter()
            .flat_map(|it| [&it.stub, &it.solution, &it.wrong])
            .map(of)
            .sum()
    };
    let failed = count(|it| it.failed) + in_tree.len();
    let passed = count(|it| it.proven);
    let skipped = count(|it| it.skipped);
    say!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(Stop::Said(1)) }
}

/// Lists everything that is tried in the place of the learner's file.
fn variants(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Result<Vec<Variant>, Stop> {
    let id = &exercise.id;
    let solution = SolutionFile::read(checkout, exercise)?;
    let plain = solution.plain.clone();
    let mut variants = vec![
        Variant::new(format!("the stub of {id}"), solution.stub, Wanted::Task),
        Variant::new(
            format!("the solution of {id}"),
            solution.plain,
            Wanted::Pass,
        ),
    ];
    if exercise.grows() {
        variants[0].wanted = Wanted::Level(level(exercise, 0));
        for stand in 1..exercise.levels.len() {
            variants.push(Variant::new(
                format!("level {stand} of {id}"),
                SolutionFile::stand(checkout, exercise, stand)?,
                Wanted::Level(level(exercise, stand)),
            ));
        }
    }
    if exercise.free {
        // The stub is the solution.
        variants.remove(0);
    }
    let folder = checkout.root.join("exercises/right").join(&exercise.id);
    for right in &exercise.right {
        variants.push(Variant::new(
            format!("right/{id}/{right}"),
            read(checkout, &folder.join(right))?,
            Wanted::Pass,
        ));
    }
    let oclgrind = machine::program("oclgrind").is_some();
    let is_missing = |name: &&String| match name.as_str() {
        "profile" => !oclgrind || !profile::can_build(),
        name => machine::program(name).is_none(),
    };
    let folder = checkout.root.join("exercises/wrong").join(&exercise.id);
    for wrong in &exercise.wrong {
        let file = folder.join(&wrong.file);
        variants.push(Variant {
            name: format!("wrong/{}/{}", exercise.id, wrong.file),
            text: match exercise.grows() {
                true => changed(checkout, exercise, &file)?,
                false => read(checkout, &file)?,
            },
            wanted: Wanted::Words(wrong.says.clone()),
            lacks: wrong.needs.iter().find(is_missing).cloned(),
            seconds: wrong.seconds,
            again: None,
        });
    }
    if let Some(again) = &exercise.again {
        for seed in 0..again.seeds() {
            let drawn = again.variable(seed);
            let name = format!("{id}, again with seed {seed} ({drawn})");
            let its = SolutionFile::again(checkout, exercise, again, seed)?;
            let of = |what: &str, text: &str, wanted| Variant {
                again: Some(drawn.clone()),
                ..Variant::new(
                    format!("{what} {name}"),
                    text.to_string(),
                    wanted,
                )
            };
            variants.push(of("the stub of", &its.stub, Wanted::Task));
            variants.push(of("the solution of", &its.plain, Wanted::Pass));
            variants.push(of("the old answer to", &plain, Wanted::Refused));
        }
    }
    Ok(variants)
}

impl Variant {
    fn new(name: String, text: String, wanted: Wanted) -> Variant {
        let (lacks, seconds, again) = (None, None, None);
        Variant { name, text, wanted, lacks, seconds, again }
    }
}

/// Says how a verdict names the level behind the last that stands.
fn level(exercise: &Exercise, stands: usize) -> String {
    format!("level {}, {}", stands + 1, exercise.levels[stands].name)
}

/// Reads a known wrong answer that is a change of the whole solution.
fn changed(
    checkout: &Checkout,
    exercise: &Exercise,
    file: &Path,
) -> Result<String, Stop> {
    let whole = SolutionFile::read(checkout, exercise)?.plain;
    levels::changed(&whole, &read(checkout, file)?)
        .map_err(|why| Stop::Failed(format!("{}: {why}", checkout.shown(file))))
}

fn read(checkout: &Checkout, file: &Path) -> Result<String, Stop> {
    fs::read_to_string(file).map_err(|error| {
        Stop::Failed(format!("cannot read {}: {error}", checkout.shown(file)))
    })
}

enum Finding {
    Proven,
    Skipped(String),
    Fault(String),
}

fn judge(
    exercise: &Exercise,
    variant: &Variant,
    verdict: Verdict,
    said: &str,
) -> Finding {
    // A terminal's line ends are not the author's.
    let words = |text: &str| -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = words(said);
    let task = format!("TODO({})", exercise.id);
    let right = match &variant.wanted {
        Wanted::Task => verdict == Verdict::ToDo && said.contains(&task),
        // Where there is no Oclgrind, the answers that it alone finds are
        // skipped by name; where there is one, it has to look.
        Wanted::Pass => match verdict {
            Verdict::InPart => machine::program("oclgrind").is_none(),
            verdict => verdict == Verdict::Solved,
        },
        Wanted::Level(wanted) => {
            matches!(verdict, Verdict::ToDo | Verdict::Failing)
                && said.contains(wanted)
        }
        Wanted::Words(wanted) => {
            verdict == Verdict::Failing && said.contains(&words(wanted))
        }
        Wanted::Refused => verdict == Verdict::Failing,
    };
    if right {
        return Finding::Proven;
    }
    if verdict == Verdict::Skipped && !matches!(variant.wanted, Wanted::Task) {
        let why = said.split_once("skipped: ").map_or(&*said, |it| it.1);
        return Finding::Skipped(why.to_string());
    }
    if let Some(program) = &variant.lacks {
        let name = &variant.name;
        let why = format!("{name} takes {program}, which is not installed");
        return Finding::Skipped(why);
    }
    // A verdict with its tape would hide the faults around it.
    let said = cut(&said, 600);
    let wanted = match &variant.wanted {
        Wanted::Task => format!("fail with {task}"),
        Wanted::Pass => "pass".to_string(),
        Wanted::Level(level) => format!("come to {level} and stop there"),
        Wanted::Words(wanted) => format!("fail and say \"{wanted}\""),
        Wanted::Refused => "be refused".to_string(),
    };
    Finding::Fault(format!(
        "{} should {wanted}, and said: {said} (once more: cargo learn \
         verify {})",
        variant.name, exercise.id
    ))
}

fn table(exercises: &[Exercise], rows: &[Row]) {
    let width = exercises.iter().map(|it| it.id.len()).max().unwrap_or(0);
    let width = width.max("exercise".len());
    say!(
        "{:<width$}  {:<10}  {:<15}  wrong answers rejected",
        "exercise",
        "stub fails",
        "solution passes"
    );
    for (exercise, row) in exercises.iter().zip(rows) {
        say!(
            "{:<width$}  {:<10}  {:<15}  {}",
            exercise.id,
            if exercise.free { "free" } else { row.stub.word() },
            row.solution.word(),
            match row.wrong.skipped {
                0 => format!("{} of {}", row.wrong.proven, row.wrong.all()),
                _ => row.wrong.word().to_string(),
            }
        );
    }
    say!();
}

impl Tally {
    fn all(&self) -> usize {
        self.proven + self.failed + self.skipped
    }

    fn word(&self) -> &'static str {
        match self {
            Tally { failed: 1.., .. } => "NO",
            Tally { skipped: 1.., .. } => "SKIPPED",
            _ => "yes",
        }
    }
}
