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
    // One element at a time: where x is positive its gradient goes on.
    todo!("TODO(ties): the rule of relu")
}

/// Computes the gradient of `x`, from that of `max(x)`, which is one number.
pub fn max_rule(x: &[f32], grad_out: f32) -> Vec<f32> {
    // Several elements may be the largest.
    todo!("TODO(ties): the rule of max")
}
