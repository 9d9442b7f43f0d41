// The share of the likeliest token is taken for an exponential.

/// Finds the temperature at which tokens of these scores were drawn so often.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    let all: u64 = counts.iter().sum();
    let most = counts.iter().max().copied().unwrap_or(0);
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    -best / (most as f64 / all as f64).ln()
}
