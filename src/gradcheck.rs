//! The slope by difference, judge of all gradients, built in chapter 2.
//!
//! Reading order: [`slope`] nudges, [`compare`] judges, [`Mismatch`] is the
//! table with a [`Diagnosis`].

use std::fmt;

use crate::reference::Array;

// ANCHOR: slope
/// How far each input is nudged. In `f64` the error of a central difference
/// is smallest near the cube root of the machine's precision.
pub const NUDGE: f64 = 1e-5;

/// How far an `f32` gradient may stray from the slope, as a share of the
/// largest element. Rounding costs about 1e-6; a wrong rule costs far more.
pub const TOLERANCE: f64 = 1e-4;

/// The slope of `f` with respect to each element of one input, by central
/// differences.
pub fn slope(
    inputs: &[Array],
    which: usize,
    f: impl Fn(&[Array]) -> f64,
) -> Array {
    let mut inputs = inputs.to_vec();
    let mut slope = inputs[which].clone();
    for i in 0..slope.values.len() {
        let x = inputs[which].values[i];
        // A large x swallows a small nudge.
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

/// The sum of `a * b`: how an output enters a loss whose gradient is `b`.
pub fn dot(a: &Array, b: &Array) -> f64 {
    a.values.iter().zip(&b.values).map(|(x, y)| x * y).sum()
}

/// What most likely went wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Diagnosis {
    /// The gradient does not have the shape of its operand.
    Shape,
    /// It would fit if it were summed over the broadcast axes.
    NotSummed,
    /// Some elements are not numbers.
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
    /// A mistake that one operation invites; whoever knows the operation
    /// puts it here in the place of [`Diagnosis::Unknown`].
    Typical(&'static str),
    /// None of the above.
    Unknown,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Diagnosis::Shape => f.write_str(
                "the shape is wrong: a gradient has the shape of its operand",
            ),
            Diagnosis::NotSummed => f.write_str(
                "not summed: an operand that was stretched gets the sum over \
                 the stretched axes",
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

/// A wrong gradient beside the right one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// What was given.
    pub yours: Array,
    /// What the nudge says.
    pub right: Array,
    /// What most likely went wrong.
    pub diagnosis: Diagnosis,
}

/// None when `yours` agrees with `right`. `parts` are the gradients that
/// should have been added up to `right`, when there are several.
pub fn compare(
    yours: &Array,
    right: &Array,
    parts: &[Array],
) -> Option<Mismatch> {
    if agrees(yours, right) {
        return None;
    }
    let (yours, right) = (yours.clone(), right.clone());
    let diagnosis = diagnose(&yours, &right, parts);
    Some(Mismatch { yours, right, diagnosis })
}

/// Where the slope is no finite number (at the root of 0, in a mean of
/// nothing) it judges nothing.
fn agrees(yours: &Array, right: &Array) -> bool {
    let finite = right.values.iter().filter(|r| r.is_finite());
    let largest = finite.fold(0.0, |m: f64, r| m.max(r.abs()));
    let allowed = TOLERANCE * largest + 1e-7;
    // A NaN of yours is never near a number.
    let near =
        |(y, r): (&f64, &f64)| !r.is_finite() || (y - r).abs() <= allowed;
    yours.shape == right.shape
        && yours.values.iter().zip(&right.values).all(near)
}

/// The first pattern that fits, tried from the plainest to the rarest.
fn diagnose(yours: &Array, right: &Array, parts: &[Array]) -> Diagnosis {
    let scaled = |factor: f64| Array {
        shape: right.shape.clone(),
        values: right.values.iter().map(|r| factor * r).collect(),
    };
    if yours.shape != right.shape {
        return match summed_to(yours, &right.shape) {
            Some(sum) if agrees(&sum, right) => Diagnosis::NotSummed,
            _ => Diagnosis::Shape,
        };
    }
    if yours.values.iter().any(|y| y.is_nan()) {
        return Diagnosis::NotANumber;
    }
    if yours.values.iter().all(|&y| y == 0.0) {
        return Diagnosis::AllZero;
    }
    if agrees(yours, &scaled(-1.0)) {
        return Diagnosis::Sign;
    }
    if transposed(right).is_some_and(|t| agrees(yours, &t)) {
        return Diagnosis::Transposed;
    }
    if parts.len() > 1 && parts.iter().any(|part| agrees(yours, part)) {
        return Diagnosis::Overwritten;
    }
    let factor = dot(yours, right) / dot(right, right);
    if factor.is_finite() && agrees(yours, &scaled(factor)) {
        return Diagnosis::Factor(factor);
    }
    Diagnosis::Unknown
}

/// `array` summed down to a shape that broadcasts to its own.
fn summed_to(array: &Array, shape: &[usize]) -> Option<Array> {
    let missing = array.shape.len().checked_sub(shape.len())?;
    let fits = |(small, large): (&usize, &usize)| *small == 1 || small == large;
    let fits = shape.iter().zip(&array.shape[missing..]).all(fits);
    fits.then(|| crate::reference::sum(array, shape))
}

/// The transposed matrix, when transposing it can be seen.
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
        write!(f, "  diagnosis: {}", self.diagnosis)
    }
}

/// The index, axis by axis, of the i-th element in row-major order.
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
    fn the_slope_of_a_square_is_twice_its_root() {
        let x = array(&[2], &[3.0, -4.0]);
        let slope = slope(&[x], 0, |x| dot(&x[0], &x[0]));
        assert!(agrees(&slope, &array(&[2], &[6.0, -8.0])));
    }

    #[test]
    fn a_slope_that_is_no_number_judges_nothing() {
        let right = array(&[3], &[2.0, f32::NAN, f32::INFINITY]);
        let of = |values| diagnosis(&array(&[3], values), &right);
        assert_eq!(of(&[2.0, 5.0, f32::NAN]), None);
        assert_eq!(of(&[3.0, 5.0, 7.0]), Some(Diagnosis::Unknown));
        assert_eq!(of(&[f32::NAN, 5.0, 7.0]), Some(Diagnosis::NotANumber));
    }

    #[test]
    fn each_pattern_has_its_diagnosis() {
        let right = array(&[2, 2], &[1.0, 2.0, 3.0, 5.0]);
        let of = |values| diagnosis(&array(&[2, 2], values), &right);
        assert_eq!(of(&[1.0, 2.0, 3.0, 5.0]), None);
        assert_eq!(of(&[f32::NAN, 2.0, 3.0, 5.0]), Some(Diagnosis::NotANumber));
        assert_eq!(of(&[0.0; 4]), Some(Diagnosis::AllZero));
        assert_eq!(of(&[-1.0, -2.0, -3.0, -5.0]), Some(Diagnosis::Sign));
        assert_eq!(of(&[1.0, 3.0, 2.0, 5.0]), Some(Diagnosis::Transposed));
        assert_eq!(of(&[2.0, 4.0, 6.0, 10.0]), Some(Diagnosis::Factor(2.0)));
        assert_eq!(of(&[9.0, 2.0, 3.0, 5.0]), Some(Diagnosis::Unknown));
        let row = array(&[2], &[4.0, 7.0]);
        assert_eq!(diagnosis(&right, &row), Some(Diagnosis::NotSummed));
        assert_eq!(diagnosis(&row, &right), Some(Diagnosis::Shape));
        let parts = [array(&[2], &[1.0, 3.0]), array(&[2], &[3.0, 4.0])];
        let found = compare(&parts[1], &row, &parts).unwrap();
        assert_eq!(found.diagnosis, Diagnosis::Overwritten);
    }
}
