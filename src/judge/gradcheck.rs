//! The gradient checker: compares gradients with derivatives estimated by
//! finite differences. Built in "Nudge it".
//!
//! Reading order: [`slope`] estimates derivatives, [`compare`] compares, and
//! [`Mismatch`] is the report, with a [`Diagnosis`].

use std::fmt;

use crate::reference::Array;

// ANCHOR: slope
/// The step by which each element is nudged. In `f64` the error of a central
/// difference is smallest near the cube root of the machine epsilon.
#[doc(hidden)]
pub const NUDGE: f64 = 1e-5;

/// The tolerance for an `f32` gradient, relative to the largest element.
/// Rounding causes errors of about 1e-6; a wrong rule causes far larger ones.
#[doc(hidden)]
pub const TOLERANCE: f64 = 1e-4;

/// Estimates the derivative of `f` with respect to each element of input
/// number `which`, by central differences.
pub fn slope(
    inputs: &[Array],
    which: usize,
    f: impl Fn(&[Array]) -> f64,
) -> Array {
    let mut inputs = inputs.to_vec();
    let mut slope = inputs[which].clone();
    for i in 0..slope.values.len() {
        let x = inputs[which].values[i];
        // The nudge grows with x, or rounding would swallow it.
        let nudge = NUDGE * x.abs().max(1.0);
        inputs[which].values[i] = x + nudge;
        let above = f(&inputs);
        inputs[which].values[i] = x - nudge;
        let below = f(&inputs);
        inputs[which].values[i] = x;
        slope.values[i] = (above - below) / (2.0 * nudge);
    }
    slope
}
// ANCHOR_END: slope

/// Computes the sum of `a * b`. As a loss of the output `a`, it has the
/// upstream gradient `b`.
#[doc(hidden)]
pub fn dot(a: &Array, b: &Array) -> f64 {
    a.values.iter().zip(&b.values).map(|(x, y)| x * y).sum()
}

/// The most likely cause of a wrong gradient.
#[derive(Clone, Debug, PartialEq)]
pub enum Diagnosis {
    /// The gradient does not have the shape of its operand.
    Shape,
    /// The gradient would be right if it were summed over the broadcast axes.
    NotSummed,
    /// Some elements are NaN.
    NotANumber,
    /// Every element is zero.
    AllZero,
    /// Every element has the wrong sign.
    Sign,
    /// The matrix is transposed.
    Transposed,
    /// Every element is off by the same factor.
    Factor(f64),
    /// Only one of several gradients arrived.
    Overwritten,
    /// A typical mistake for a specific operation. [`compare`] does not know
    /// the operation and never returns this; the checks of the exercises
    /// replace [`Diagnosis::Unknown`] with it.
    Typical(&'static str),
    /// None of the above, or more than one.
    Unknown,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Diagnosis::Shape => f.write_str(
                "the shape is wrong: a gradient has the shape of its operand",
            ),
            Diagnosis::NotSummed => f.write_str(
                "not summed: an operand that was broadcast gets the sum over \
                 the broadcast axes",
            ),
            Diagnosis::NotANumber => f.write_str("some elements are NaN"),
            Diagnosis::AllZero => f.write_str(
                "every element is zero: nothing was accumulated here",
            ),
            Diagnosis::Sign => f.write_str("the sign is wrong everywhere"),
            Diagnosis::Transposed => f.write_str("the matrix is transposed"),
            Diagnosis::Factor(factor) => {
                write!(f, "every element is {factor:.4} times the right one")
            }
            Diagnosis::Overwritten => f.write_str(
                "only one of several gradients is here: add them, do not \
                 overwrite",
            ),
            Diagnosis::Typical(words) => f.write_str(words),
            Diagnosis::Unknown => {
                f.write_str("no known pattern: compare the elements one by one")
            }
        }
    }
}

/// A wrong gradient with the estimate that it was compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The gradient that was checked.
    pub yours: Array,
    /// The estimate by finite differences.
    pub right: Array,
    /// The most likely cause.
    pub diagnosis: Diagnosis,
}

/// Compares a gradient with the right one, with a tolerance relative to the
/// largest element. Returns `None` if they agree. If `right` is the sum of
/// several gradients, `parts` lists them.
pub fn compare(
    yours: &Array,
    right: &Array,
    parts: &[Array],
) -> Option<Mismatch> {
    let finite = right.values.iter().filter(|r| r.is_finite());
    let largest = finite.fold(0.0, |m: f64, r| m.max(r.abs()));
    let allowed = TOLERANCE * largest + 1e-7;
    let allowed = right.values.iter().map(|_| allowed).collect();
    within(
        yours,
        right,
        &Array { shape: right.shape.clone(), values: allowed },
        parts,
    )
}

/// Compares as [`compare`] does, with a separate tolerance for each element.
/// An element whose derivative or tolerance is not finite cannot be checked
/// and counts as agreeing.
#[doc(hidden)]
pub fn within(
    yours: &Array,
    right: &Array,
    allowed: &Array,
    parts: &[Array],
) -> Option<Mismatch> {
    if agrees(yours, right, allowed) {
        return None;
    }
    let diagnosis = diagnose(yours, right, allowed, parts);
    let (yours, right) = (yours.clone(), right.clone());
    Some(Mismatch { yours, right, diagnosis })
}

/// Returns whether every element is within its tolerance. A NaN never is. An
/// infinity agrees only with a value of the same sign that `f32` cannot
/// represent.
fn agrees(yours: &Array, right: &Array, allowed: &Array) -> bool {
    let near = |i: usize| {
        let [yours, right, allowed] =
            [yours, right, allowed].map(|a| a.values[i]);
        let beyond = right.abs() + allowed >= f64::from(f32::MAX);
        let same = yours.signum() == right.signum();
        !(right.is_finite() && allowed.is_finite())
            || (yours - right).abs() <= allowed
            || (yours.is_infinite() && same && beyond)
    };
    yours.shape == right.shape && (0..right.values.len()).all(near)
}

/// Finds the pattern that predicts every element of the wrong gradient. If two
/// patterns do, the result is `Unknown`: a missing diagnosis is better than a
/// wrong one.
fn diagnose(
    yours: &Array,
    right: &Array,
    allowed: &Array,
    parts: &[Array],
) -> Diagnosis {
    if yours.shape != right.shape {
        return match summed_to(yours, &right.shape) {
            Some(sum) if agrees(&sum, right, allowed) => Diagnosis::NotSummed,
            _ => Diagnosis::Shape,
        };
    }
    if yours.values.iter().any(|y| y.is_nan()) {
        return Diagnosis::NotANumber;
    }
    let fits = |wrong: &Array| agrees(yours, wrong, allowed);
    let zero = yours.values.iter().all(|&y| y == 0.0);
    let part = parts.len() > 1 && parts.iter().any(fits);
    let patterns = [
        (zero, Diagnosis::AllZero),
        (fits(&times(right, -1.0)), Diagnosis::Sign),
        (transposed(right).is_some_and(|t| fits(&t)), Diagnosis::Transposed),
        (part, Diagnosis::Overwritten),
    ];
    let mut found = patterns.into_iter().filter(|(fits, _)| *fits);
    match (found.next(), found.next()) {
        (Some((_, only)), None) => only,
        (Some(_), Some(_)) => Diagnosis::Unknown,
        (None, _) => factor(yours, right, allowed),
    }
}

/// Finds a constant factor between `yours` and `right`. If all derivatives are
/// equal, or there is only one, some factor always fits, so none is reported.
fn factor(yours: &Array, right: &Array, allowed: &Array) -> Diagnosis {
    let slopes = right.values.iter().zip(&allowed.values);
    let mut seen = slopes.filter(|(r, allowed)| r.abs() > **allowed);
    let first = seen.next().map_or(f64::NAN, |(r, _)| *r);
    let uneven = seen.any(|(r, allowed)| (r - first).abs() > *allowed);
    let factor = dot(yours, right) / dot(right, right);
    let wider = times(allowed, factor.abs().max(1.0));
    let fits = || agrees(yours, &times(right, factor), &wider);
    match uneven && factor.is_finite() && fits() {
        true => Diagnosis::Factor(factor),
        false => Diagnosis::Unknown,
    }
}

fn times(array: &Array, factor: f64) -> Array {
    let values = array.values.iter().map(|x| factor * x).collect();
    Array { shape: array.shape.clone(), values }
}

/// Sums `array` down to a shape that broadcasts to its own.
fn summed_to(array: &Array, shape: &[usize]) -> Option<Array> {
    let missing = array.shape.len().checked_sub(shape.len())?;
    let fits = |(small, large): (&usize, &usize)| *small == 1 || small == large;
    let fits = shape.iter().zip(&array.shape[missing..]).all(fits);
    fits.then(|| crate::reference::sum(array, shape))
}

/// Transposes a square matrix; other arrays give `None`.
fn transposed(array: &Array) -> Option<Array> {
    let [rows, columns] = array.shape[..] else { return None };
    let at = |i: usize| array.values[(i % rows) * columns + i / rows];
    (rows == columns && rows > 1).then(|| Array {
        shape: array.shape.clone(),
        values: (0..array.values.len()).map(at).collect(),
    })
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (yours, right) = (&self.yours, &self.right);
        if yours.shape != right.shape {
            writeln!(f, "  yours has shape {:?}", yours.shape)?;
            writeln!(f, "  right is  shape {:?}", right.shape)?;
        } else {
            writeln!(
                f,
                "  {:<10} {:>12} {:>12} {:>8}",
                "index", "yours", "by nudging", "ratio"
            )?;
            const SHOWN: usize = 8;
            let pairs = yours.values.iter().zip(&right.values);
            for (i, (y, r)) in pairs.enumerate().take(SHOWN) {
                let index = format!("{:?}", index_of(i, &yours.shape));
                let ratio = match r {
                    0.0 => "-".to_string(),
                    _ => format!("{:.4}", y / r),
                };
                writeln!(f, "  {index:<10} {y:>12.4} {r:>12.4} {ratio:>8}")?;
            }
            if yours.values.len() > SHOWN {
                writeln!(f, "  ... {} elements in all", yours.values.len())?;
            }
        }
        // Advice to compare the elements makes no sense for a single one.
        if self.diagnosis == Diagnosis::Unknown && yours.values.len() == 1 {
            return f.write_str("  diagnosis: no known pattern");
        }
        write!(f, "  diagnosis: {}", self.diagnosis)
    }
}

/// Returns the multidimensional index of the i-th element in row-major order.
fn index_of(mut i: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        index[axis] = i % shape[axis];
        i /= shape[axis];
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[usize], values: &[f32]) -> Array {
        Array::new(shape, values)
    }

    fn diagnosis(yours: &Array, right: &Array) -> Option<Diagnosis> {
        compare(yours, right, &[]).map(|m| m.diagnosis)
    }

    #[test]
    fn the_derivative_of_a_square_is_right() {
        let x = array(&[2], &[3.0, -4.0]);
        let slope = slope(&[x], 0, |x| dot(&x[0], &x[0]));
        assert_eq!(compare(&slope, &array(&[2], &[6.0, -8.0]), &[]), None);
    }

    #[test]
    fn non_finite_references_are_not_compared() {
        let right = array(&[3], &[2.0, f32::NAN, f32::INFINITY]);
        let check = |values| diagnosis(&array(&[3], values), &right);
        assert_eq!(check(&[2.0, 5.0, f32::NAN]), None);
        assert_eq!(check(&[3.0, 5.0, 7.0]), Some(Diagnosis::Unknown));
        assert_eq!(check(&[f32::NAN, 5.0, 7.0]), Some(Diagnosis::NotANumber));
    }

    #[test]
    fn small_gradients_have_small_tolerances() {
        let right = array(&[2], &[0.001, 0.002]);
        let check = |values| diagnosis(&array(&[2], values), &right);
        assert_eq!(check(&[0.001_000_1, 0.002]), None);
        assert_eq!(check(&[0.001_05, 0.002]), Some(Diagnosis::Unknown));
    }

    #[test]
    fn a_single_zero_is_not_diagnosed_as_all_zero() {
        let right = array(&[3], &[1.0, 2.0, 5.0]);
        let check = |values| diagnosis(&array(&[3], values), &right);
        assert_eq!(check(&[0.0, 2.0, 5.0]), Some(Diagnosis::Unknown));
        assert_eq!(check(&[0.0, 0.0, 0.0]), Some(Diagnosis::AllZero));
    }

    /// Promise: A wrong gradient gets a diagnosis in words for each known
    /// pattern of error.
    #[test]
    fn each_error_pattern_has_a_diagnosis() {
        let right = array(&[2, 2], &[1.0, 2.0, 3.0, 5.0]);
        let check = |values| diagnosis(&array(&[2, 2], values), &right);
        assert_eq!(check(&[1.0, 2.0, 3.0, 5.0]), None);
        assert_eq!(
            check(&[f32::NAN, 2.0, 3.0, 5.0]),
            Some(Diagnosis::NotANumber)
        );
        assert_eq!(check(&[0.0; 4]), Some(Diagnosis::AllZero));
        assert_eq!(check(&[-1.0, -2.0, -3.0, -5.0]), Some(Diagnosis::Sign));
        assert_eq!(check(&[1.0, 3.0, 2.0, 5.0]), Some(Diagnosis::Transposed));
        assert_eq!(check(&[2.0, 4.0, 6.0, 10.0]), Some(Diagnosis::Factor(2.0)));
        assert_eq!(check(&[9.0, 2.0, 3.0, 5.0]), Some(Diagnosis::Unknown));
        let row = array(&[2], &[4.0, 7.0]);
        assert_eq!(diagnosis(&right, &row), Some(Diagnosis::NotSummed));
        assert_eq!(diagnosis(&row, &right), Some(Diagnosis::Shape));
        let flat = array(&[1, 2], &[4.0, 7.0]);
        assert_eq!(diagnosis(&right, &flat), Some(Diagnosis::NotSummed));
        let parts = [array(&[2], &[1.0, 3.0]), array(&[2], &[3.0, 4.0])];
        let found = compare(&parts[1], &row, &parts).unwrap();
        assert_eq!(found.diagnosis, Diagnosis::Overwritten);
        let neither = array(&[2], &[9.0, 1.0]);
        let found = compare(&neither, &row, &parts).unwrap();
        assert_eq!(found.diagnosis, Diagnosis::Unknown);
    }

    #[test]
    fn tolerances_scale_with_the_gradient() {
        let right = array(&[2], &[1e-3, 2e-3]);
        assert!(diagnosis(&array(&[2], &[1e-3, 2.1e-3]), &right).is_some());
    }

    #[test]
    fn unrelated_errors_have_an_unknown_diagnosis() {
        let right = array(&[3], &[1.0, 2.0, 4.0]);
        let found = diagnosis(&array(&[3], &[0.0, 3.0, 1.0]), &right);
        assert_eq!(found, Some(Diagnosis::Unknown));
    }

    /// Promise: The gradient check names a constant factor only if it predicts
    /// at least two different derivatives.
    #[test]
    fn a_factor_needs_two_different_derivatives() {
        let check = |yours: &[f32], right: &[f32]| {
            let shape = [right.len()];
            diagnosis(&array(&shape, yours), &array(&shape, right))
        };
        assert_eq!(check(&[6.0], &[3.0]), Some(Diagnosis::Unknown));
        assert_eq!(check(&[6.0, 6.0], &[3.0, 3.0]), Some(Diagnosis::Unknown));
        assert_eq!(check(&[6.0, 0.0], &[3.0, 0.0]), Some(Diagnosis::Unknown));
        let found = check(&[6.0, 8.0], &[3.0, 4.0]);
        assert_eq!(found, Some(Diagnosis::Factor(2.0)));
    }

    #[test]
    fn a_single_value_has_no_pattern() {
        let one = array(&[1], &[4.0]);
        let words = |right| compare(&one, &array(&[1], &[right]), &[]);
        let words = words(12.0).unwrap().to_string();
        assert!(words.ends_with("no known pattern"), "{words}");
    }

    /// Promise: The gradient check names no diagnosis when two diagnoses fit.
    #[test]
    fn ambiguous_patterns_give_no_diagnosis() {
        // Transposed, and with the other sign.
        let right = array(&[2, 2], &[0.0, 1.0, -1.0, 0.0]);
        let yours = array(&[2, 2], &[0.0, -1.0, 1.0, 0.0]);
        assert_eq!(diagnosis(&yours, &right), Some(Diagnosis::Unknown));
        // The first of two gradients, which is also the sum's opposite.
        let parts = [array(&[1], &[3.0]), array(&[1], &[-6.0])];
        let right = array(&[1], &[-3.0]);
        let found = compare(&parts[0], &right, &parts).unwrap();
        assert_eq!(found.diagnosis, Diagnosis::Unknown);
    }

    #[test]
    fn infinity_is_right_only_beyond_the_largest_f32() {
        let check = |yours: f32, right: f64| {
            let yours = Array::new(&[1], &[yours]);
            let right = Array { shape: vec![1], values: vec![right] };
            let allowed = Array { shape: vec![1], values: vec![1e-3 * 3e38] };
            within(&yours, &right, &allowed, &[]).is_none()
        };
        assert!(
            check(f32::INFINITY, 6.8e38) && check(f32::NEG_INFINITY, -1e40)
        );
        assert!(!check(f32::NEG_INFINITY, 6.8e38) && !check(f32::NAN, 6.8e38));
        assert!(!check(f32::INFINITY, 3e38) && !check(f32::MAX, 6.8e38));
    }

    #[test]
    fn a_table_is_truncated_after_eight_elements() {
        assert_eq!(index_of(7, &[2, 3, 4]), [0, 1, 3]);
        assert_eq!(index_of(23, &[2, 3, 4]), [1, 2, 3]);
        let table = |n: usize| {
            let right = array(&[n], &vec![1.0; n]);
            compare(&array(&[n], &vec![3.0; n]), &right, &[])
                .unwrap()
                .to_string()
        };
        assert!(!table(8).contains("elements in all"), "{}", table(8));
        assert!(table(9).contains("... 9 elements in all"), "{}", table(9));
    }
}
