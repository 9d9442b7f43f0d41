//! Checks `missing_barrier`, two kernels that each lack one barrier.
//!
//! It tries every schedule of a small group and shows the simplest one that
//! gives a wrong result.

use std::process::ExitCode;

use exercises::{Outcome, check, with_commas, wrong};
use rungrad::workgroup::{End, Group, Item, Search};

exercises::yours!("part2_gpu/missing_barrier.rs");

fn main() -> ExitCode {
    check(
        "missing_barrier",
        YOURS,
        &[
            ("largest: right in every schedule of 4 items", largest::<4>),
            ("largest: right in every schedule of 8 items", largest::<8>),
            ("largest: then every item may read cell 0", seen::<4>),
            ("below_largest: right for 4 items", below_largest::<4>),
            ("below_largest: right for 8 items", below_largest::<8>),
        ],
    )
}

/// Returns ascending values, so that the values added last matter most.
fn rising(n: usize) -> Vec<f32> {
    (1..=n).map(|i| i as f32).collect()
}

fn largest<const N: usize>(_: &()) -> Outcome {
    let x = rising(N);
    let group = Group { items: N, cells: N };
    let search =
        group.search(async |item: Item| yours::largest(&item, &x).await);
    let is_right = |local: &[f32]| local[0] == x[N - 1];
    judge("largest", &search, is_right, 1 + N.ilog2() as usize)
}

/// Each item stores what it reads after the reduction, in a separate cell.
fn seen<const N: usize>(_: &()) -> Outcome {
    let x = rising(N);
    let group = Group { items: N, cells: 2 * N };
    let search = group.search(async |item: Item| {
        yours::largest(&item, &x).await;
        let seen = item.read(0).await;
        item.write(N + item.id(), seen).await;
    });
    let is_right = |local: &[f32]| local[N..].iter().all(|&it| it == x[N - 1]);
    let name = "largest, with each item reading cell 0 after it,";
    judge(name, &search, is_right, 1 + N.ilog2() as usize)
}

fn below_largest<const N: usize>(_: &()) -> Outcome {
    let x = rising(N);
    let right: Vec<f32> = x.iter().map(|it| it - x[N - 1]).collect();
    let group = Group { items: N, cells: N };
    let search =
        group.search(async |item: Item| yours::below_largest(&item, &x).await);
    let barriers = 2 + N.ilog2() as usize;
    judge("below_largest", &search, |local| *local == *right, barriers)
}

fn judge(
    kernel: &str,
    search: &Search,
    is_right: impl Fn(&[f32]) -> bool,
    barriers: usize,
) -> Outcome {
    let broken = search.wrong(&is_right).or(search.race.as_ref());
    let Some(trace) = broken else {
        return match search.endings[0].trace.barriers {
            most if most > barriers => Err(wrong(format!(
                "{kernel} is right in every schedule, but its group passes \
                 {most} barriers; {barriers} would be enough. At each barrier \
                 all items wait for the slowest one: only one line was \
                 missing."
            ))),
            _ => Ok(()),
        };
    };
    let wrong_ones = search
        .endings
        .iter()
        .filter(|ending| !ending.trace.end.local().is_some_and(&is_right));
    let count: u128 = wrong_ones.map(|ending| ending.schedules).sum();
    let table: String =
        trace.to_string().lines().map(|it| format!("  {it}\n")).collect();
    let advice = match (&trace.end, trace.race()) {
        (End::Divergent(_), _) => {
            "A barrier inside an `if`, or inside a loop that not all items run \
             equally often, is not reached by some items. Put it where every \
             item passes, even one that has nothing to do."
                .to_string()
        }
        (_, Some(race)) => format!(
            "{race} Put a barrier after the first of these steps and before \
             the second, for every item."
        ),
        _ => "Look at the content of local memory.".to_string(),
    };
    let at_least = if search.complete { "" } else { "at least " };
    Err(wrong(format!(
        "{kernel} is wrong in {at_least}{} of {} schedules. This one switches \
         least often from item to item.\n\n{table}\n{advice}",
        with_commas(count),
        with_commas(search.schedules()),
    )))
}
