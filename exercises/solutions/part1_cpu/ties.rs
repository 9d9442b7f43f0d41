// ties: what an engine says at a corner.
//
// WHAT   Two rules: that of `relu`, which keeps what is positive, and that of
//        `max`, the largest of all elements.
// WHY    At 0 the slope of relu is not a fact but a decision, and so is what
//        two largest elements get. An engine decides once: relu's slope at 0
//        is 0, and those that tie share what comes in.
// READ   Few rules, many operations
// CHECK  cargo learn check ties

/// Computes the gradient of `x`, from that of `relu(x)`.
pub fn relu_rule(x: &[f32], grad_out: &[f32]) -> Vec<f32> {
    // HOLE
    //| // One element at a time: where x is positive its gradient goes on.
    //| todo!("TODO(ties): the rule of relu")
    let closed = |x: f32, g: f32| if x <= 0.0 { 0.0 } else { g };
    x.iter().zip(grad_out).map(|(x, g)| closed(*x, *g)).collect()
    // END HOLE
}

/// Computes the gradient of `x`, from that of `max(x)`, which is one number.
pub fn max_rule(x: &[f32], grad_out: f32) -> Vec<f32> {
    // HOLE
    //| // Several elements may be the largest.
    //| todo!("TODO(ties): the rule of max")
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let winners = x.iter().filter(|x| **x == most).count();
    let share = grad_out / winners as f32;
    x.iter().map(|x| if *x == most { share } else { 0.0 }).collect()
    // END HOLE
}
