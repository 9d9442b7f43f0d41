// ties: gradients at a kink.
//
// WHAT   Write two backward rules: for `relu`, which replaces negative
//        elements by 0, and for `max`, the largest of all elements.
// WHY    The derivative of relu at 0 is undefined, and so is the gradient of
//        two equal maxima. An engine must choose: here relu's gradient at 0 is
//        0, and equal maxima share the gradient equally.
// READ   Corners
// CHECK  cargo learn check ties

/// Returns the gradient of `x` from the gradient of `relu(x)`.
pub fn relu_rule(x: &[f32], grad_out: &[f32]) -> Vec<f32> {
    // HOLE
    //| // One element at a time: if x is positive, its gradient is passed on.
    //| todo!("TODO(ties): the backward rule of relu")
    let closed = |x: f32, g: f32| if x <= 0.0 { 0.0 } else { g };
    x.iter().zip(grad_out).map(|(x, g)| closed(*x, *g)).collect()
    // END HOLE
}

/// Returns the gradient of `x` from the gradient of `max(x)`, a single number.
pub fn max_rule(x: &[f32], grad_out: f32) -> Vec<f32> {
    // HOLE
    //| // Several elements may be equal to the maximum.
    //| todo!("TODO(ties): the backward rule of max")
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = x.iter().filter(|x| **x == most).count();
    let share = grad_out / winners as f32;
    x.iter().map(|x| if *x == most { share } else { 0.0 }).collect()
    // END HOLE
}
