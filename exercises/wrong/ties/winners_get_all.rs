// Each of those that tie gets the whole gradient: more goes out than came in.

/// Computes the gradient of `x`, from that of `relu(x)`.
pub fn relu_rule(x: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let slope = |x: f32| if x > 0.0 { 1.0 } else { 0.0 };
    x.iter().zip(grad_out).map(|(x, g)| g * slope(*x)).collect()
}

/// Computes the gradient of `x`, from that of `max(x)`, which is one number.
pub fn max_rule(x: &[f32], grad_out: f32) -> Vec<f32> {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    x.iter().map(|x| if *x == most { grad_out } else { 0.0 }).collect()
}
