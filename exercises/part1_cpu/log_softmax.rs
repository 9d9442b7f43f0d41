// log_softmax: from scores to shares, and back.
//
// WHAT   The share of a score x in its row is exp(x) over the sum of all
//        exp(x). Write the logarithm of the shares, for scores of any size,
//        and its rule.
// WHY    exp(89) is more than an f32 holds. Subtracting the same number from
//        all scores of a row changes no share.
// READ   Matmul and softmax
// CHECK  cargo learn check log_softmax

/// Computes the logarithm of the share that each score gets.
pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    todo!("TODO(log_softmax): the logarithms, without a large exp")
}

/// Computes the gradient of the scores; `y` is `log_softmax(row)`.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    // Each score changes every share of its row.
    todo!("TODO(log_softmax): the rule")
}
