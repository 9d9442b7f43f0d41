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
    // HOLE
    //| todo!("TODO(log_softmax): the logarithms, without a large exp")
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = row.iter().map(|x| (x - most).exp()).sum();
    row.iter().map(|x| x - most - total.ln()).collect()
    // END HOLE
}

/// Computes the gradient of the scores; `y` is `log_softmax(row)`.
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    // HOLE
    //| // Each score changes every share of its row.
    //| todo!("TODO(log_softmax): the rule")
    let total: f32 = grad_out.iter().sum();
    y.iter().zip(grad_out).map(|(y, g)| g - y.exp() * total).collect()
    // END HOLE
}
