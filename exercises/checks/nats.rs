//! Checks `nats`, the losses of two networks that have learned almost nothing.

use std::process::ExitCode;

use exercises::{Outcome, check, drawn, wrong};
use rungrad::data::{Names, names};

exercises::yours!("part3_unified/nats.rs");

fn main() -> ExitCode {
    check(
        "nats",
        YOURS,
        &[
            ("27 tokens, equally likely", blind),
            ("ten tosses of a coin", coin),
            ("a token that was never seen", never),
            ("the names of the course", course),
        ],
    )
}

fn near(yours: f64, right: f64) -> bool {
    (yours - right).abs() < 1e-6
}

/// Compares with the right loss and with the results of known mistakes.
fn asked(
    what: &str,
    yours: f64,
    right: f64,
    faults: &[(f64, &str)],
) -> Outcome {
    if near(yours, right) {
        return Ok(());
    }
    let mut fitting = faults.iter().filter(|(found, _)| near(yours, *found));
    let why = match (fitting.next(), fitting.next()) {
        (Some((_, words)), None) => words,
        _ => "",
    };
    Err(wrong(format!(
        "{what}: your loss is {yours:.4}, but {right:.4} was expected. {why}"
    )))
}

const BITS: &str = "These are bits: the logarithm to base 2.";
const TENS: &str = "That is the logarithm to base 10.";
const CHOICES: &str = "That is the exponential of the loss, its perplexity.";
const NO_ONE: &str = "You have not added anything to the counts.";
const OLD_TOTAL: &str = "You have added to each count, but divided by the total \
                         of the old counts. Divide by the new total, so that \
                         the probabilities sum to 1.";
const ITS_OWN: &str = "You have counted the held-out tokens. A network cannot \
                       know them beforehand.";
const ONCE_EACH: &str = "That is the mean over the distinct tokens, each \
                         counted once. Weight each token by how often it \
                         occurs.";

fn blind(_: &()) -> Outcome {
    for signs in [2, 27, 65] {
        let n = signs as f64;
        asked(
            &format!("{signs} equally likely tokens"),
            yours::blind(signs),
            n.ln(),
            &[(n.log2(), BITS), (n.log10(), TENS), (n, CHOICES)],
        )?;
    }
    Ok(())
}

fn shares(counts: &[u64], more: u64) -> Vec<f64> {
    let all: u64 = counts.iter().map(|count| count + more).sum();
    counts.iter().map(|count| (count + more) as f64 / all as f64).collect()
}

fn mean(shares: &[f64], times: &[u64]) -> f64 {
    let pairs = shares.iter().zip(times).filter(|(_, times)| **times > 0);
    let total: f64 = pairs.map(|(p, n)| *n as f64 * -p.ln()).sum();
    total / times.iter().sum::<u64>() as f64
}

fn judge(what: &str, learned: &[u64], held_out: &[u64]) -> Outcome {
    let more = drawn("more").unwrap_or(1.0) as u64;
    let known = shares(learned, more);
    let right = mean(&known, held_out);
    let total = learned.iter().sum::<u64>() as f64;
    let by_old_total: Vec<f64> =
        learned.iter().map(|count| (count + more) as f64 / total).collect();
    let ones = vec![1; learned.len()];
    asked(
        what,
        yours::frequencies(learned, held_out),
        right,
        &[
            (right / 2.0_f64.ln(), BITS),
            (right.exp(), CHOICES),
            (mean(&shares(learned, 0), held_out), NO_ONE),
            (mean(&by_old_total, held_out), OLD_TOTAL),
            (mean(&shares(held_out, more), held_out), ITS_OWN),
            (mean(&known, &ones), ONCE_EACH),
        ],
    )
}

fn coin(_: &()) -> Outcome {
    judge("Learned [7, 3], held out [2, 5]", &[7, 3], &[2, 5])
}

fn never(_: &()) -> Outcome {
    judge("Learned [5, 0, 2], held out [1, 2, 1]", &[5, 0, 2], &[1, 2, 1])
}

/// Counts each token in some names, including the end of each name.
fn counts(list: &Names) -> Vec<u64> {
    let mut counts = vec![0; list.vocabulary.size()];
    counts[0] = list.names.len() as u64;
    let letters = list.names.iter().flat_map(|name| name.chars());
    for number in letters.filter_map(|it| list.vocabulary.number(it)) {
        counts[number] += 1;
    }
    counts
}

fn course(_: &()) -> Outcome {
    let (learned, held_out) = names().split(1000, 1797);
    judge("The names", &counts(&learned), &counts(&held_out))?;
    println!(
        "  a blind guess costs {:.3}, and knowing the frequencies costs {:.3}",
        yours::blind(27),
        yours::frequencies(&counts(&learned), &counts(&held_out))
    );
    Ok(())
}
