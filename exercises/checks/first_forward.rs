//! Checks `first_forward`, an expression on tensors.
//!
//! The exercise is already solved in the stub. The check still works, so that
//! readers can change the file and see the effect.

use std::process::ExitCode;

use exercises::{Outcome, check, expect, judge, numbers};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::mul;

exercises::yours!("part1_cpu/first_forward.rs");

fn main() -> ExitCode {
    check(
        "first_forward",
        YOURS,
        &[
            ("a = [2, 3] and b = [3, 4] give [18, 48]", value),
            ("the gradients agree with finite differences", slopes),
        ],
    )
}

/// The values of the chapter.
fn value(_: &()) -> Outcome {
    let a = Tensor::new(&[2], &[2.0, 3.0]);
    let b = Tensor::new(&[2], &[3.0, 4.0]);
    expect("(a * b) * b", &yours::forward(&a, &b).to_vec(), &[18.0, 48.0])
}

/// The engine's gradients of the learner's expression.
fn slopes(_: &()) -> Outcome {
    let a = Tensor::new(&[3], &numbers(10, 3));
    let b = Tensor::new(&[3], &numbers(11, 3));
    let w = Tensor::new(&[3], &numbers(12, 3));
    let mut tape = yours::forward(&a, &b).mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(forward(a, b) * w)", &tape, &["a", "b", "b", "w"], |leaves| {
        dot(&mul(&mul(&leaves[0], &leaves[1]), &leaves[2]), &leaves[3])
    })
}
