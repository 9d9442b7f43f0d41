// A floor of -100 instead of the logarithm of a share that is 0.

/// Returns the logarithm of each share.
pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    let most = row.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = row.iter().map(|x| (x - most).exp()).sum();
    let log = |x: &f32| ((x - most).exp() / sum).ln().max(x - most - 100.0);
    row.iter().map(log).collect()
}

/// Returns the gradient of the row.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let total: f32 = grad_out.iter().sum();
    y.iter().zip(grad_out).map(|(y, g)| g - y.exp() * total).collect()
}
