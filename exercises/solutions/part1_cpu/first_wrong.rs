// first_wrong: a gradient check.
//
// WHAT   Somebody claims to know the slopes of `f` at `x`, one for each
//        number. Measure them by nudging, and return the index of the first
//        claim that is wrong; None if all are right. The claims were computed
//        in `f32`, so the right ones are off by a millionth or less; a fault
//        is a thousandth at least, compared with the largest slope.
// WHY    A wrong gradient does not crash. Every gradient of this course is
//        judged by these lines.
// READ   Nudge it
// CHECK  cargo learn check first_wrong

/// Finds the first of the claimed slopes of `f` at `x` that is wrong.
pub fn first_wrong(
    f: &dyn Fn(&[f64]) -> f64,
    x: &[f64],
    claimed: &[f64],
) -> Option<usize> {
    // HOLE
    //| // `x.to_vec()` is a copy that you can nudge; `f` is called as `f(&x)`.
    //| todo!("TODO(first_wrong): measure each slope, then compare")
    let mut x = x.to_vec();
    let mut slopes = Vec::new();
    for i in 0..x.len() {
        let here = x[i];
        let nudge = 1e-5 * here.abs().max(1.0);
        x[i] = here + nudge;
        let above = f(&x);
        x[i] = here - nudge;
        let below = f(&x);
        x[i] = here;
        slopes.push((above - below) / (2.0 * nudge));
    }
    let most = slopes.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
    // A NaN is near nothing, so it is asked whether a claim is near.
    let is_near = |i: usize| (claimed[i] - slopes[i]).abs() <= 1e-4 * most;
    (0..slopes.len()).find(|&i| !is_near(i))
    // END HOLE
}
