//! Checks `matmul_rule`, the gradients of a matrix multiplication.
//!
//! Square matrices come first: with them a transposed gradient has the right
//! shape, and the verdict can name the mistake.

use std::process::ExitCode;

use exercises::{Outcome, check, judge, numbers};
use ndarray::{Array2, ArrayD, Ix2};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::matmul;

exercises::yours!("part1_cpu/matmul_rule.rs");

fn main() -> ExitCode {
    check(
        "matmul_rule",
        YOURS,
        &[
            ("(3, 3) x (3, 3)", square),
            ("(2, 3) x (3, 5)", oblong),
            ("(4, 1) x (1, 3): a column times a row", outer),
        ],
    )
}

fn square(_: &()) -> Outcome {
    product(1, 3, 3, 3)
}

fn oblong(_: &()) -> Outcome {
    product(4, 2, 3, 5)
}

fn outer(_: &()) -> Outcome {
    product(7, 4, 1, 3)
}

fn matrix(array: &ArrayD<f32>) -> Array2<f32> {
    array.clone().into_dimensionality::<Ix2>().expect("two axes")
}

/// With the loss `sum((a x b) * w)`, the rule's `grad_out` is `w`.
fn product(seed: u64, m: usize, k: usize, n: usize) -> Outcome {
    let tensor = |seed, rows, columns| {
        Tensor::new(&[rows, columns], &numbers(seed, rows * columns))
    };
    let a = tensor(seed, m, k);
    let b = tensor(seed + 1, k, n);
    let w = tensor(seed + 2, m, n);
    let (x, y) = (matrix(&a.data()), matrix(&b.data()));
    let value = x.dot(&y).into_dyn();
    let out = Tensor::from_op("matmul", &[&a, &b], value, move |grad_out| {
        yours::matmul_rule(&x, &y, &matrix(grad_out))
            .map(Array2::into_dyn)
            .into()
    });
    let mut tape = out.mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum((a x b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&matmul(&leaves[0], &leaves[1]), &leaves[2])
    })
}
