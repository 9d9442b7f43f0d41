// A slope of 0, times infinity.

/// Computes the gradient of `x`, from that of `relu(x)`.
pub fn relu_rule(x: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let slope = |x: f32| f32::from(x > 0.0);
    x.iter().zip(grad_out).map(|(x, g)| g * slope(*x)).collect()
}

/// Computes the gradient of `x`, from that of `max(x)`, which is one number.
pub fn max_rule(x: &[f32], grad_out: f32) -> Vec<f32> {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = x.iter().filter(|x| **x == most).count();
    let share = grad_out / winners as f32;
    x.iter().map(|x| if *x == most { share } else { 0.0 }).collect()
}
