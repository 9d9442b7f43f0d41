//! Checks `whose_temperature`, which recovers the temperature from draws.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};
use rungrad::rng::Random;

exercises::yours!("part3_unified/whose_temperature.rs");

fn main() -> ExitCode {
    check(
        "whose_temperature",
        YOURS,
        &[
            ("two tokens", two),
            ("five tokens, cold and hot", five),
            ("scores that are all shifted by 30", moved),
            ("tokens that were hardly ever drawn", rare),
            ("40 random networks", chance),
        ],
    )
}

/// Returns how often each token is expected in 100,000 draws.
fn drawn(scores: &[f64], temperature: f64) -> Vec<u64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        scores.iter().map(|s| ((s - most) / temperature).exp()).collect();
    let total: f64 = weights.iter().sum();
    let count = |weight: &f64| (100_000.0 * weight / total).round() as u64;
    weights.iter().map(count).collect()
}

fn asked(scores: &[f64], right: f64) -> Outcome {
    let counts = drawn(scores, right);
    let yours = yours::temperature(scores, &counts);
    let near = |other: f64| (yours - other).abs() <= 0.01 * other;
    if near(right) {
        return Ok(());
    }
    let why = if !yours.is_finite() || yours == 0.0 {
        "The logarithm of 0 is not finite: leave out tokens that were never \
         drawn."
    } else if near(1.0 / right) {
        "That is 1 divided by the temperature."
    } else {
        ""
    };
    Err(wrong(format!(
        "The tokens were drawn at temperature {right}, but your function \
         returns {yours:.4}. {why}\n\n  scores  {scores:.2?}\n  drawn   \
         {counts:?}"
    )))
}

fn two(_: &()) -> Outcome {
    asked(&[1.0, 0.0], 0.5)?;
    asked(&[0.5, 2.0], 2.0)
}

fn five(_: &()) -> Outcome {
    let temperatures = [0.4, 0.8, 1.0, 1.5, 3.0];
    temperatures
        .into_iter()
        .try_for_each(|right| asked(&[2.0, 1.5, 0.3, -0.4, 1.0], right))
}

fn moved(_: &()) -> Outcome {
    asked(&[31.0, 30.5, 29.0, 30.0], 0.7)
}

fn rare(_: &()) -> Outcome {
    asked(&[-30.0, 1.0, 0.7, -7.6], 0.8)?;
    asked(&[3.0, -4.0, 2.5, -30.0], 0.7)
}

fn chance(_: &()) -> Outcome {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut score = || f64::from(4.0 * random.uniform() - 2.0);
        // Two tokens that are drawn often and have different scores, and
        // others.
        let scores = [score(), 2.5, score(), 1.2, score(), score()];
        let right = (60.0 + 30.0 * (score() + 2.0)).round() / 100.0;
        asked(&scores, right)?;
    }
    Ok(())
}
