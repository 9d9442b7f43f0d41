// All tokens count alike, those that were never drawn too.

/// Finds the temperature at which tokens of these scores were drawn so often.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    let n = scores.len() as f64;
    let log = |count: &u64| (*count as f64).ln();
    let x = scores.iter().sum::<f64>() / n;
    let y = counts.iter().map(log).sum::<f64>() / n;
    let spread: f64 = scores.iter().map(|s| (s - x) * (s - x)).sum();
    let pairs = scores.iter().zip(counts);
    spread / pairs.map(|(s, c)| (s - x) * (log(c) - y)).sum::<f64>()
}
