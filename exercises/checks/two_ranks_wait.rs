//! Checks `two_ranks_wait`, a deadlock of two ranks.
//!
//! The scheduler continues one rank at a time. It knows that a run never ends
//! when no rank can continue, so no time limit is needed.

use std::process::ExitCode;

use exercises::{
    Link, Outcome, Stop, check, every_order, numbers, run_ranks, wrong,
};

exercises::yours!("cluster/two_ranks_wait.rs");

fn main() -> ExitCode {
    check(
        "two_ranks_wait",
        YOURS,
        &[
            ("short messages are exchanged", short),
            ("long messages are exchanged", long),
            ("both ranks take a step", together),
            ("both skip a step because of one loss", skipped),
            ("a run with good and bad steps ends", many),
        ],
    )
}

/// The number of elements for which the network has room.
const ROOM: usize = 4;

/// Runs `work` on two ranks in every order, and passes the results to `judge`.
/// `why` explains a run that does not end.
fn run<T: Send>(
    why: &str,
    work: impl Fn(Link) -> T + Sync,
    judge: impl Fn([T; 2]) -> Outcome,
) -> Outcome {
    every_order(|order| {
        let run = run_ranks(2, ROOM, order, &work);
        let run = run.map_err(|stop| match stop {
            Stop::Wrong { words, .. } => wrong(format!("{words}\n\n{why}")),
            other => other,
        })?;
        let results = <[T; 2]>::try_from(run.results);
        judge(results.ok().expect("two ranks"))
    })
}

fn short(_: &()) -> Outcome {
    swapped(
        2,
        "Both messages would fit into the network, so it is enough that each \
         rank sends before it waits.",
    )
}

fn long(_: &()) -> Outcome {
    swapped(
        9,
        "The messages have 9 elements, and the network has room for 4. Short \
         messages pass, so this bug is hidden until a model is large enough.",
    )
}

fn swapped(len: usize, why: &str) -> Outcome {
    let own = |rank| numbers(rank as u64, len);
    let swap = |mut link: Link| {
        let values = own(link.rank());
        yours::swap(&mut link, values)
    };
    run(why, swap, |results| {
        for (rank, values) in results.into_iter().enumerate() {
            if values == own(1 - rank) {
                continue;
            }
            let what = match values == own(rank) {
                true => "its own values".to_string(),
                false => format!("{values:?}"),
            };
            return Err(wrong(format!(
                "On rank {rank}, `swap` should return the values of the other \
                 rank, {:?}, but it returned {what}.",
                own(1 - rank)
            )));
        }
        Ok(())
    })
}

const LEN: usize = 9;

fn grad(rank: usize, step: usize) -> Vec<f32> {
    numbers((2 * step + rank) as u64, LEN)
}

/// Takes a step for each pair of losses.
fn steps(losses: &[[f32; 2]], why: &str) -> Outcome {
    let work = |mut link: Link| {
        let rank = link.rank();
        let mut weights = numbers(100, LEN);
        let mut taken = Vec::new();
        for (step, losses) in losses.iter().enumerate() {
            let (loss, grad) = (losses[rank], grad(rank, step));
            taken.push(yours::step(&mut link, &mut weights, loss, grad));
        }
        (taken, weights)
    };
    run(why, work, |results| {
        let mut right = numbers(100, LEN);
        for (step, losses) in losses.iter().enumerate() {
            let is_good = losses.iter().all(|loss| loss.is_finite());
            let taken = [0, 1].map(|rank: usize| results[rank].0[step]);
            let word = |taken| if taken { "took" } else { "skipped" };
            if taken != [is_good; 2] {
                return Err(wrong(format!(
                    "In a step with the losses {losses:?}, rank 0 {} the step \
                     and rank 1 {} it. Both should have {} it.",
                    word(taken[0]),
                    word(taken[1]),
                    if is_good { "taken" } else { "skipped" }
                )));
            }
            if is_good {
                let [a, b] = [0, 1].map(|rank| grad(rank, step));
                for i in 0..LEN {
                    right[i] -= 0.5 * (a[i] + b[i]) / 2.0;
                }
            }
        }
        for (rank, (_, weights)) in results.iter().enumerate() {
            exercises::expect(
                &format!(
                    "After steps with the losses {losses:?}, the weight of \
                     rank {rank}"
                ),
                weights,
                &right,
            )?;
        }
        Ok(())
    })
}

const EQUALLY_OFTEN: &str = "A rank does not know how the other one decides. \
                             Whatever their losses are, both must call \
                             `all_reduce` equally often.";

fn together(_: &()) -> Outcome {
    steps(&[[0.5, 1.5]], EQUALLY_OFTEN)
}

fn skipped(_: &()) -> Outcome {
    for bad in [f32::INFINITY, f32::NAN] {
        for losses in [[0.5, bad], [bad, 0.5], [bad, bad]] {
            steps(&[losses], EQUALLY_OFTEN)?;
        }
    }
    steps(&[[f32::INFINITY, f32::NEG_INFINITY]], EQUALLY_OFTEN)
}

fn many(_: &()) -> Outcome {
    let bad = f32::NAN;
    let losses = [[0.5, 0.25], [bad, 0.5], [0.5, 1.0], [1.0, bad], [2.0, 0.5]];
    steps(&losses, EQUALLY_OFTEN)
}
