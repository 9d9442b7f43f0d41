// It is the number of signs, and not its logarithm.

/// Returns the loss of a network that gives all signs the same share.
pub fn blind(signs: usize) -> f64 {
    signs as f64
}

/// Returns the mean loss of signs that were held out: `held_out[i]` times sign
/// i. The network has counted those of `learned`.
pub fn frequencies(learned: &[u64], held_out: &[u64]) -> f64 {
    let all: u64 = learned.iter().map(|count| count + 1).sum();
    let share = |count: u64| (count + 1) as f64 / all as f64;
    let pairs = learned.iter().zip(held_out);
    let total: f64 =
        pairs.map(|(&known, &count)| count as f64 * -share(known).ln()).sum();
    total / held_out.iter().sum::<u64>() as f64
}
