//! `cargo xtask verify`: the stub of every exercise fails with its own task, the
//! solution passes, and each known wrong answer fails with its diagnosis.
//!
//! It works on copies, so a learner's files have no influence.

mod bench;
mod listings;
mod variants;

use std::mem;

use crate::committed;
use bench::{FOLDERS, Placed, check};
use learn::checkout::Checkout;
use learn::command::{Args, Command, Stop};
use learn::course::{self, Exercise};
use learn::exercises::status::Status;
use learn::machine;
use learn::terminal::{say, truncate};
pub(crate) use variants::Variant;
use variants::{Wanted, variants};

pub(crate) const COMMAND: Command = Command {
    name: "verify",
    usage: "[EXERCISE ..] [--committed] [--sample]",
    summary: "check every exercise: stub, solution and wrong answers",
    page: "\
Checks every exercise in a folder of its own: the stub that is generated from the
solution fails with its own task, the solution and the other right answers pass,
and each known wrong answer fails with its diagnosis. The variants of `cargo learn
again` also reject the solutions of each other. The verdicts that the book shows,
book/listings/verdict_*.out, must be what the checks print; UPDATE=1 writes them.
Your own files are not read. With names, it checks only these exercises.

--committed, as in CI, also looks for warnings, for code that is not formatted
and for files that belong to no exercise.

--sample checks the stub, the solution and the first wrong answer of each
exercise, and prints how many others there are.

Kernels are skipped if there is no OpenCL device; with RUNGRAD_REQUIRE_GPU=1 that
is a failure.",
    run,
};

/// The columns of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Stub,
    Solution,
    Wrong,
}

/// The result of one variant.
struct Outcome<'a> {
    exercise: &'a str,
    column: Column,
    finding: Finding,
}

enum Finding {
    Proven,
    Skipped(String),
    Fault(String),
}

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let with_tree = args.flag("--committed");
    let is_sample = args.flag("--sample");
    let (ids, _) = args.rest(usize::MAX)?;
    let mut exercises = course::exercises(checkout)?;
    for id in &ids {
        course::find(&exercises, id)?;
    }
    exercises.retain(|it| ids.is_empty() || ids.contains(&it.id));
    if exercises.is_empty() {
        let why = "exercises/exercises.toml has no row: nothing to verify";
        return Err(Stop::Failed(why.to_string()));
    }
    let _alone = checkout.lock("verify");
    let folder = checkout.target.join(FOLDERS[0]);
    let mut variants = exercises
        .iter()
        .map(|exercise| variants(checkout, exercise))
        .collect::<Result<Vec<Vec<Variant>>, Stop>>()?;
    let mut in_tree = match with_tree {
        true => {
            let all: Vec<_> = exercises.iter().zip(&variants).collect();
            committed::faults(checkout, &all, ids.is_empty(), &folder)?
        }
        false => Vec::new(),
    };
    let all: usize = variants.iter().map(Vec::len).sum();
    if is_sample {
        variants.iter_mut().for_each(keep_sample);
    }
    let checked: usize = variants.iter().map(Vec::len).sum();
    // An exercise has one file, so a round contains at most one text of it.
    // The number of rounds is the largest number of texts of an exercise.
    let count = variants.iter().map(|it| texts(it).count()).max();
    let count = count.unwrap_or_default();
    let mut rounds: Vec<Vec<Placed>> = vec![Vec::new(); count];
    let placed = exercises.iter().zip(&variants);
    let placed = placed.flat_map(|(it, all)| texts(all).map(move |v| (it, v)));
    for (at, placed) in placed.enumerate() {
        rounds[at % count].push(placed);
    }
    let mut outcomes = Vec::new();
    let found = check(checkout, &rounds)?;
    let placed = rounds.into_iter().flatten();
    let placed = placed.flat_map(|(it, all)| all.iter().map(move |v| (it, v)));
    for ((exercise, variant), found) in placed.zip(found) {
        let finding = match found {
            Ok((verdict, said)) => {
                let finding = judge(exercise, variant, verdict, &said);
                if matches!(finding, Finding::Proven) {
                    let stale =
                        listings::stale(checkout, exercise, variant, &said);
                    in_tree.extend(stale);
                }
                finding
            }
            Err(why) => Finding::Fault(format!("{}: {why}", variant.name)),
        };
        let column = column(variant);
        outcomes.push(Outcome { exercise: &exercise.id, column, finding });
    }
    table(&exercises, &outcomes);
    if checked < all {
        say!(
            "This is a sample of {checked} of {all} stubs and answers; \
             `cargo xtask verify` checks all of them."
        );
    }
    let (mut passed, mut failed, mut skipped) = (0, in_tree.len(), 0);
    let mut skips = Vec::new();
    let mut faults = Vec::new();
    for Outcome { exercise, finding, .. } in outcomes {
        match finding {
            Finding::Proven => passed += 1,
            Finding::Skipped(why) => {
                skipped += 1;
                skips.push(format!("verify {exercise}: {why}"));
            }
            Finding::Fault(what) => {
                failed += 1;
                faults.push(what);
            }
        }
    }
    skips.dedup();
    for skip in skips {
        say!("SKIPPED {skip}");
    }
    for fault in faults.iter().chain(&in_tree) {
        say!("FAILED {fault}");
    }
    say!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(Stop::Said(1)) }
}

fn column(variant: &Variant) -> Column {
    match variant.wanted {
        Wanted::Task => Column::Stub,
        Wanted::Pass | Wanted::Level(_) => Column::Solution,
        Wanted::Words(_) | Wanted::Refused => Column::Wrong,
    }
}

/// Returns the variants in groups with the same text.
fn texts(variants: &[Variant]) -> impl Iterator<Item = &[Variant]> {
    variants.chunk_by(|a, b| a.text == b.text)
}

/// Keeps the stub, the solution, and the first wrong answer and level.
fn keep_sample(variants: &mut Vec<Variant>) {
    let mut kept = Vec::new();
    variants.retain(|variant| {
        let kind = mem::discriminant(&variant.wanted);
        let is_first = !kept.contains(&kind);
        kept.push(kind);
        is_first
    });
}

fn judge(
    exercise: &Exercise,
    variant: &Variant,
    verdict: Status,
    said: &str,
) -> Finding {
    // The verdict breaks lines at the width of the terminal.
    let words = |text: &str| -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = words(said);
    let task = format!("TODO({})", exercise.id);
    let right = match &variant.wanted {
        Wanted::Task => verdict == Status::ToDo && said.contains(&task),
        // Without Oclgrind, a right answer passes in part.
        Wanted::Pass => match verdict {
            Status::InPart => machine::find_program("oclgrind").is_none(),
            verdict => verdict == Status::Solved,
        },
        Wanted::Level(wanted) => {
            matches!(verdict, Status::ToDo | Status::Failing)
                && said.contains(wanted)
        }
        Wanted::Words(wanted) => {
            verdict == Status::Failing && said.contains(&words(wanted))
        }
        Wanted::Refused => verdict == Status::Failing,
    };
    if right {
        return Finding::Proven;
    }
    if verdict == Status::Skipped && !matches!(variant.wanted, Wanted::Task) {
        let why = said.split_once("skipped: ").map_or(&*said, |it| it.1);
        return Finding::Skipped(why.to_string());
    }
    let name = &variant.name;
    if let Some(program) = &variant.lacks {
        let why = format!("{name} takes {program}, which is not installed");
        return Finding::Skipped(why);
    }
    let wanted = match &variant.wanted {
        Wanted::Task => format!("fail with {task}"),
        Wanted::Pass => "pass".to_string(),
        Wanted::Level(level) => format!("come to {level} and stop there"),
        Wanted::Words(wanted) => format!("fail and say \"{wanted}\""),
        Wanted::Refused => "be refused".to_string(),
    };
    // A whole verdict with its tape would hide the other faults.
    let (said, id) = (truncate(&said, 600), &exercise.id);
    Finding::Fault(format!(
        "{name} should {wanted}, and said: {said} (once more: cargo xtask \
         verify {id})"
    ))
}

fn table(exercises: &[Exercise], outcomes: &[Outcome]) {
    let width = exercises.iter().map(|it| it.id.len()).max().unwrap_or(0);
    let width = width.max("exercise".len());
    let head = ["stub fails", "solution passes", "wrong answers rejected"];
    let row = |id: &str, [stub, solution, wrong]: [&str; 3]| {
        say!("{id:<width$}  {stub:<10}  {solution:<15}  {wrong}");
    };
    row("exercise", head);
    for Exercise { id, free, .. } in exercises {
        let findings = |column| {
            let its = outcomes.iter().filter(move |it| it.exercise == *id);
            its.filter(move |it| it.column == column).map(|it| &it.finding)
        };
        let word = |column| {
            let has = |fits: fn(&Finding) -> bool| findings(column).any(fits);
            match () {
                () if has(|it| matches!(it, Finding::Fault(_))) => "NO",
                () if has(|it| matches!(it, Finding::Skipped(_))) => "SKIPPED",
                () => "yes",
            }
        };
        let is_proven = |it: &&Finding| matches!(it, Finding::Proven);
        let wrong = findings(Column::Wrong);
        let rejected = wrong.clone().filter(is_proven).count();
        let wrong = match word(Column::Wrong) {
            "SKIPPED" => "SKIPPED".to_string(),
            _ => format!("{rejected} of {}", wrong.count()),
        };
        let stub = if *free { "free" } else { word(Column::Stub) };
        row(id, [stub, word(Column::Solution), &wrong]);
    }
    say!();
}
