// The slope itself is returned.

/// Finds the temperature at which tokens of these scores were drawn so often.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    let log = |token: usize| (counts[token] as f64).ln();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by_key(|&token| std::cmp::Reverse(counts[token]));
    let (a, b) = (order[0], order[1]);
    (log(a) - log(b)) / (scores[a] - scores[b])
}
