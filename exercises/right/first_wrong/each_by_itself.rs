// first_wrong: a gradient check.
//
// WHAT   `claimed` should contain the derivatives of `f` at `x`, one per
//        element. Measure them with finite differences, and return the index
//        of the first claim that is wrong, or `None` if all are right. The
//        claims were computed in `f32`, so right ones have a relative error of
//        a millionth or less. An error is at least a thousandth of the largest
//        derivative.
// WHY    A wrong gradient does not crash. Every gradient of this course is
//        tested with code like this.
// READ   Nudge it
// CHECK  cargo learn check first_wrong

/// Returns the index of the first claimed derivative of `f` at `x` that is
/// wrong.
pub fn first_wrong(
    f: &dyn Fn(&[f64]) -> f64,
    x: &[f64],
    claimed: &[f64],
) -> Option<usize> {
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
    let mut most = 0.0;
    for slope in &slopes {
        most = f64::max(most, *slope * slope.signum());
    }
    for (i, (claim, slope)) in claimed.iter().zip(&slopes).enumerate() {
        let error = (claim - slope) / most;
        if error.is_nan() || error > 5e-4 || error < -5e-4 {
            return Some(i);
        }
    }
    None
}
