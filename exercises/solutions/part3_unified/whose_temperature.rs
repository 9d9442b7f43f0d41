// whose_temperature: at which temperature were these tokens drawn?
//
// WHAT   A network gave some tokens these scores, and 100,000 tokens were
//        drawn at one temperature. You get the scores and how often each token
//        was drawn. Find the temperature, to 1 %.
// WHY    To infer the temperature from the draws, you must know what it does:
//        the difference of two log-probabilities is the difference of the two
//        scores divided by the temperature.
// MIND   The counts are integers. A token that was drawn three times gives
//        little information, and one that was never drawn gives none.
// READ   Names
// CHECK  cargo learn check whose_temperature

/// Returns the temperature at which tokens with these scores were drawn with
/// these counts.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    // HOLE
    //| todo!("TODO(whose_temperature): choose two tokens, and compare them")
    let often = (0..scores.len()).filter(|&token| counts[token] >= 100);
    // Take tokens with very different scores, so that rounding matters least.
    let by_score = |a: &usize, b: &usize| scores[*a].total_cmp(&scores[*b]);
    let least = often.clone().min_by(by_score).expect("some token");
    let most = often.max_by(by_score).expect("some token");
    let ratio = counts[most] as f64 / counts[least] as f64;
    (scores[most] - scores[least]) / ratio.ln()
    // END HOLE
}
