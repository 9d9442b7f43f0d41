//! The steps of `first_forward`, an expression on tensors.

use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::mul;

use super::Binary;
use crate::{Outcome, Step, expect, judge, numbers};

/// The steps. The answer is the function `forward`.
pub const STEPS: &[Step<Binary>] = &[
    ("a = [2, 3] and b = [3, 4] give [18, 48]", value),
    ("the gradients agree with finite differences", slopes),
];

/// The values of the chapter.
fn value(forward: &Binary) -> Outcome {
    let a = Tensor::new(&[2], &[2.0, 3.0]);
    let b = Tensor::new(&[2], &[3.0, 4.0]);
    expect("(a * b) * b", &forward(&a, &b).to_vec(), &[18.0, 48.0])
}

/// The engine's gradients of the learner's expression.
fn slopes(forward: &Binary) -> Outcome {
    let a = Tensor::new(&[3], &numbers(10, 3));
    let b = Tensor::new(&[3], &numbers(11, 3));
    let w = Tensor::new(&[3], &numbers(12, 3));
    let mut tape = forward(&a, &b).mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(forward(a, b) * w)", &tape, &["a", "b", "b", "w"], |leaves| {
        dot(&mul(&mul(&leaves[0], &leaves[1]), &leaves[2]), &leaves[3])
    })
}
