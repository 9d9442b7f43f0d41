// log_softmax: from scores to log-probabilities, and their gradient.
//
// WHAT   The softmax turns the score x into a probability: exp(x) divided by
//        the sum of exp over all scores of its row. Write the logarithm of
//        these probabilities, for scores of any size, and its backward rule.
// WHY    exp(89) overflows an f32. Subtracting the same number from all scores
//        of a row does not change the probabilities.
// READ   Right on paper, wrong in f32
// CHECK  cargo learn check log_softmax

/// Returns the logarithm of each score's probability.
pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    todo!("TODO(log_softmax): the logarithms, without a large exp")
}

/// Returns the gradient of the scores; `y` is `log_softmax(row)`.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    // Each score affects every probability of its row.
    todo!("TODO(log_softmax): the backward rule")
}
