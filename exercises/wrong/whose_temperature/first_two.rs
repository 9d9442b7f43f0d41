// The first two tokens are compared, however often they were drawn.

/// Finds the temperature at which tokens of these scores were drawn so often.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    let log = |token: usize| (counts[token] as f64).ln();
    (scores[0] - scores[1]) / (log(0) - log(1))
}
