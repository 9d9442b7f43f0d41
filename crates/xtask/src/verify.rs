//! `cargo xtask verify`: every exercise in all three directions. The stub
//! fails with its own task, the solution passes, and each known wrong answer
//! fails with the words that it deserves.
//!
//! It works on copies, so it says nothing of what a learner wrote.

mod bench;
mod variants;

use std::cmp::Reverse;

use crate::committed;
use bench::Bench;
use learn::checkout::Checkout;
use learn::command::{Command, Stop, Words};
use learn::course::{self, Exercise};
use learn::exercises::program::Verdict;
use learn::machine;
use learn::terminal::{cut, say};
use variants::{Variant, Wanted, variants};

pub(crate) const COMMAND: Command = Command {
    name: "verify",
    usage: "[EXERCISE ..] [--committed] [--sample]",
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

--sample proves of each exercise the stub, the solution and the first wrong
answer, and says how many others there are.

Kernels are skipped where there is no OpenCL device, and are a failure there
with RUNGRAD_REQUIRE_GPU=1.",
    run,
};

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

fn run(checkout: &Checkout, mut words: Words) -> Result<(), Stop> {
    let with_tree = words.flag("--committed");
    let is_sample = words.flag("--sample");
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
    let mut variants = exercises
        .iter()
        .map(|exercise| variants(checkout, exercise))
        .collect::<Result<Vec<Vec<Variant>>, Stop>>()?;
    let all: usize = variants.iter().map(Vec::len).sum();
    if is_sample {
        variants.iter_mut().for_each(keep_sample);
    }
    let mut faults = Vec::new();
    let mut skips = Vec::new();
    let mut rows: Vec<Row> = exercises.iter().map(|_| Row::default()).collect();
    let counts: Vec<usize> = variants.iter().map(Vec::len).collect();
    let rounds = dealt(&counts);
    let placed: Vec<Vec<(&Exercise, &Variant)>> = rounds
        .iter()
        .map(|round| {
            let place = |&(at, its): &(usize, usize)| {
                (&exercises[at], &variants[at][its])
            };
            round.iter().map(place).collect()
        })
        .collect();
    let found = bench.prove(&placed)?;
    for (&(at, its), found) in rounds.iter().flatten().zip(&found) {
        let (exercise, variant) = (&exercises[at], &variants[at][its]);
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
    let in_tree = match with_tree {
        true => committed::faults(
            checkout,
            &exercises,
            ids.is_empty(),
            &bench.folders[0],
        )?,
        false => Vec::new(),
    };
    table(&exercises, &rows);
    let some: usize = counts.iter().sum();
    if some < all {
        say!(
            "This is a sample of {some} of {all} stubs and answers; \
             `cargo xtask verify` proves all of them."
        );
    }
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

/// Keeps the first variant of each kind: the stub, the solution, a wrong answer.
fn keep_sample(variants: &mut Vec<Variant>) {
    let kind = |variant: &Variant| match variant.wanted {
        Wanted::Task => "stub",
        Wanted::Level(_) => "level",
        Wanted::Pass => "solution",
        Wanted::Words(_) | Wanted::Refused => "wrong",
    };
    let mut kept = Vec::new();
    variants.retain(|variant| {
        let is_first = !kept.contains(&kind(variant));
        kept.push(kind(variant));
        is_first
    });
}

/// Deals the variants of the exercises out to rounds of about the same length.
/// An exercise has one file, so it stands in a round once; those with the most
/// variants left go first. A place is an exercise and its variant.
fn dealt(counts: &[usize]) -> Vec<Vec<(usize, usize)>> {
    let rounds = counts.iter().copied().max().unwrap_or(0).max(1);
    let width = counts.iter().sum::<usize>().div_ceil(rounds);
    let mut next = vec![0; counts.len()];
    let mut dealt = Vec::new();
    loop {
        let left = |at: &usize| counts[*at] - next[*at];
        let mut round: Vec<usize> =
            (0..counts.len()).filter(|at| left(at) > 0).collect();
        if round.is_empty() {
            return dealt;
        }
        round.sort_by_key(|at| Reverse(left(at)));
        round.truncate(width);
        dealt.push(round.iter().map(|&at| (at, next[at])).collect());
        round.iter().for_each(|&at| next[at] += 1);
    }
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
        "{} should {wanted}, and said: {said} (once more: cargo xtask \
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_are_dealt_in_order_and_no_exercise_twice_in_a_round() {
        let counts = [1, 7, 0, 3, 2, 2];
        let rounds = dealt(&counts);
        assert_eq!(rounds.len(), 7);
        for round in &rounds {
            assert!(round.len() <= 3, "{round:?}");
            let at = |place: &(usize, usize)| place.0;
            let mut its: Vec<usize> = round.iter().map(at).collect();
            its.sort();
            its.dedup();
            assert_eq!(its.len(), round.len(), "{round:?}");
        }
        for (at, &count) in counts.iter().enumerate() {
            let of = rounds.iter().flatten().filter(|place| place.0 == at);
            let order: Vec<usize> = of.map(|place| place.1).collect();
            assert_eq!(order, Vec::from_iter(0..count));
        }
    }
}
