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
    // `x.to_vec()` is a copy that you can nudge; `f` is called as `f(&x)`.
    todo!("TODO(first_wrong): measure each derivative, then compare")
}
