//! The judge: each primitive once more in `f64`, slow and obvious, without
//! gradients, without views, without threads. Chapter 2 introduces it.
//!
//! Tests, gradient checks and the verdicts of exercises compare every engine
//! with these few lines, so nothing here is clever.

use crate::shape;

/// Numbers in row-major order, with their shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size along each axis.
    pub shape: Vec<usize>,
    /// The elements, the last axis dense.
    pub values: Vec<f64>,
}

impl Array {
    /// An array of `f32` values, each taken over exactly.
    pub fn new(shape: &[usize], values: &[f32]) -> Array {
        assert_eq!(shape::size(shape), values.len(), "shape {shape:?}");
        let values = values.iter().map(|&v| f64::from(v)).collect();
        Array { shape: shape.to_vec(), values }
    }

    fn filled(shape: &[usize], value: f64) -> Array {
        Array { shape: shape.to_vec(), values: vec![value; shape::size(shape)] }
    }
}

/// The elementwise sum of two equal shapes.
pub fn add(a: &Array, b: &Array) -> Array {
    assert_eq!(a.shape, b.shape);
    let pairs = a.values.iter().zip(&b.values);
    Array {
        shape: a.shape.clone(),
        values: pairs.map(|(x, y)| x + y).collect(),
    }
}

/// The elementwise product of two equal shapes.
pub fn mul(a: &Array, b: &Array) -> Array {
    assert_eq!(a.shape, b.shape);
    let pairs = a.values.iter().zip(&b.values);
    Array {
        shape: a.shape.clone(),
        values: pairs.map(|(x, y)| x * y).collect(),
    }
}

/// The sum over each axis along which `shape` is shorter than `a`.
pub fn sum(a: &Array, shape: &[usize]) -> Array {
    let mut total = Array::filled(shape, 0.0);
    for (at, value) in within(shape, &a.shape).zip(&a.values) {
        total.values[at] += value;
    }
    total
}

/// The exponential of each element.
pub fn exp(a: &Array) -> Array {
    let values = a.values.iter().map(|x| x.exp()).collect();
    Array { shape: a.shape.clone(), values }
}

/// `a`, repeated along each axis of size 1 (or missing) until it has `shape`.
pub fn expand(a: &Array, shape: &[usize]) -> Array {
    let values = within(&a.shape, shape).map(|at| a.values[at]).collect();
    Array { shape: shape.to_vec(), values }
}

/// For each element of `large`, the position in `small` that it meets when
/// the two shapes are aligned at the right: axes that `small` lacks, or has
/// with size 1, do not move the position.
fn within<'a>(
    small: &'a [usize],
    large: &'a [usize],
) -> impl Iterator<Item = usize> + use<> {
    let dense = shape::strides(small);
    let missing = large.len() - small.len();
    let strides: Vec<isize> = (0..large.len())
        .map(|axis| match axis.checked_sub(missing) {
            Some(own) if small[own] == large[axis] => dense[own],
            Some(own) => {
                assert_eq!(small[own], 1, "{small:?} within {large:?}");
                0
            }
            None => 0,
        })
        .collect();
    let all: Vec<usize> = shape::offsets(large, &strides, 0).collect();
    all.into_iter()
}

/// The primitive named `op`, when the judge knows it. `shape` is the shape
/// of the result, which says what `sum` and `expand` shall do.
pub fn forward(op: &str, inputs: &[&Array], shape: &[usize]) -> Option<Array> {
    match (op, inputs) {
        ("mul", [a, b]) => Some(mul(a, b)),
        ("add", [a, b]) => Some(add(a, b)),
        ("sum", [a]) => Some(sum(a, shape)),
        ("exp", [a]) => Some(exp(a)),
        ("expand", [a]) => Some(expand(a, shape)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_numbers() {
        let a = Array::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let row = Array::new(&[2], &[10.0, 20.0]);
        assert_eq!(mul(&a, &a).values, [1.0, 4.0, 9.0, 16.0]);
        assert_eq!(sum(&a, &[]).values, [10.0]);
        assert_eq!(sum(&a, &[1, 2]).values, [4.0, 6.0]);
        assert_eq!(sum(&a, &[2, 1]).values, [3.0, 7.0]);
        assert_eq!(expand(&row, &[2, 2]).values, [10.0, 20.0, 10.0, 20.0]);
        assert_eq!(exp(&Array::new(&[1], &[0.0])).values, [1.0]);
        assert_eq!(sum(&Array::new(&[0], &[]), &[]).values, [0.0]);
    }
}
