//! Checks `sum_to`, the gradient of broadcasting.
//!
//! A square comes first: there the shape does not show which axis was summed.

use std::process::ExitCode;

use exercises::{Outcome, check, judge, numbers, values, wrong};
use ndarray::{ArrayD, IxDyn};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::{Array, mul, sum};

exercises::yours!("part1_cpu/sum_to.rs");

fn main() -> ExitCode {
    check(
        "sum_to",
        YOURS,
        &[
            ("equal shapes: nothing was broadcast", equal),
            ("a row that was broadcast to a square", row),
            ("a column that was broadcast to a matrix", column),
            ("no axes at all, and axes on both sides", many),
            ("a row times a matrix gets its gradient", product),
        ],
    )
}

/// Compares the learner's sum with the reference.
fn summed(seed: u64, from: &[usize], to: &[usize]) -> Outcome {
    let given = numbers(seed, from.iter().product());
    let grad = ArrayD::from_shape_vec(IxDyn(from), given.clone());
    let yours = yours::sum_to(&grad.expect("one value each"), to);
    let right = sum(&Array::new(from, &given), to);
    let flat: Vec<f32> = yours.iter().copied().collect();
    let found = Array::new(yours.shape(), &flat);
    let along_the_other = from.len() == 2 && from[0] == from[1] && {
        let other = [from[0], 1];
        let other = sum(&Array::new(from, &given), &other);
        found.shape == right.shape && found.values == other.values
    };
    if along_the_other {
        return Err(wrong(format!(
            "The gradient of shape {from:?} was summed along the wrong axis. \
             Shapes are aligned at the right, so {to:?} lacks the leftmost \
             axis."
        )));
    }
    if found.shape != right.shape && found.values.len() == right.values.len() {
        return Err(wrong(format!(
            "The gradient of shape {from:?} was summed to shape {:?}. It \
             should be {to:?}: an axis that the operand lacks must be removed, \
             and one of size 1 must be kept.",
            found.shape
        )));
    }
    values(&format!("sum_to of {from:?} to {to:?}"), &found, &right)
}

fn equal(_: &()) -> Outcome {
    summed(1, &[3, 5], &[3, 5])
}

fn row(_: &()) -> Outcome {
    summed(2, &[3, 3], &[3])?;
    summed(3, &[3, 4], &[4])
}

fn column(_: &()) -> Outcome {
    summed(4, &[3, 5], &[3, 1])?;
    summed(5, &[3, 5], &[1, 5])
}

fn many(_: &()) -> Outcome {
    summed(6, &[3, 5], &[])?;
    summed(7, &[2, 3, 5], &[3, 1])?;
    summed(8, &[2, 3, 1], &[3, 1])
}

/// Uses it as intended: in the backward rule of a multiplication that
/// broadcasts.
fn product(_: &()) -> Outcome {
    let a = Tensor::new(&[2, 3], &numbers(9, 6));
    let b = Tensor::new(&[3], &numbers(10, 3));
    let w = Tensor::new(&[2, 3], &numbers(11, 6));
    let (x, y) = (a.data(), b.data());
    let out = Tensor::from_op("mul", &[&a, &b], &*x * &*y, move |grad_out| {
        let (grad_a, grad_b) = (grad_out * &*y, grad_out * &*x);
        vec![
            yours::sum_to(&grad_a, x.shape()),
            yours::sum_to(&grad_b, y.shape()),
        ]
    });
    let mut tape = out.mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(a * b * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}
