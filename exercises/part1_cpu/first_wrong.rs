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
    // `x.to_vec()` is a copy that you can nudge; `f` is called as `f(&x)`.
    todo!("TODO(first_wrong): measure each slope, then compare")
}
