// Only the last row is looked at.

use super::Fault;

/// Names what is wrong with a map of queries and keys of some width, to 1e-4.
pub fn name(map: &[f64], scores: &[f64], width: usize) -> Fault {
    let n = map.len().isqrt();
    let row = &map[n * (n - 1)..];
    let scores = &scores[n * (n - 1)..];
    let shares = |divisor: f64| {
        let weights: Vec<f64> =
            scores.iter().map(|score| (score / divisor).exp()).collect();
        let total: f64 = weights.iter().sum();
        let pairs = row.iter().zip(weights);
        pairs.into_iter().all(|(p, w)| (p - w / total).abs() <= 1e-4)
    };
    if shares((width as f64).sqrt()) {
        return Fault::Right;
    }
    if shares(1.0) { Fault::NotScaled } else { Fault::Unknown }
}
