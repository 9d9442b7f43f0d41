// The largest score is looked for from 0 on.

/// Computes the logarithm of the share that each score gets.
pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    let most = row.iter().copied().fold(0.0, f32::max);
    let total: f32 = row.iter().map(|x| (x - most).exp()).sum();
    row.iter().map(|x| x - most - total.ln()).collect()
}

/// Computes the gradient of the scores; `y` is `log_softmax(row)`.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let total: f32 = grad_out.iter().sum();
    y.iter().zip(grad_out).map(|(y, g)| g - y.exp() * total).collect()
}
