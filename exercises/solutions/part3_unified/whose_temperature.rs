// whose_temperature: how daring was the draw?
//
// WHAT   A network gave some tokens these scores, and somebody drew 100,000
//        tokens at one temperature. You get the scores and how often each
//        token was drawn. Find the temperature, to 1 %.
// WHY    Whoever can go back from the draws to the number knows what the
//        number does: the logarithms of two shares are as far apart as the two
//        scores, divided by it.
// MIND   The counts are whole numbers. A token that was drawn three times says
//        little, and one that was never drawn nothing at all.
// READ   Names
// CHECK  cargo learn check whose_temperature

/// Finds the temperature at which tokens of these scores were drawn so often.
pub fn temperature(scores: &[f64], counts: &[u64]) -> f64 {
    // HOLE
    //| todo!("TODO(whose_temperature): compare two tokens, and choose them")
    let often = (0..scores.len()).filter(|&token| counts[token] >= 100);
    // Far apart, so that what was rounded matters least.
    let by_score = |a: &usize, b: &usize| scores[*a].total_cmp(&scores[*b]);
    let least = often.clone().min_by(by_score).expect("some token");
    let most = often.max_by(by_score).expect("some token");
    let ratio = counts[most] as f64 / counts[least] as f64;
    (scores[most] - scores[least]) / ratio.ln()
    // END HOLE
}
