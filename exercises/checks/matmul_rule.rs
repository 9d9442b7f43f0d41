//! Checks `matmul_rule`, the gradients of a matrix multiplication.
//!
//! Square matrices come first: with them a transposed gradient has the right
//! shape, and the verdict can name the mistake.

use std::process::ExitCode;

use exercises::{Outcome, again, check, choose, judge, numbers, values};
use ndarray::{Array2, ArrayD, Ix2};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::{Array, matmul, permute};

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

/// In a variant one operand or both are transposed before the multiplication.
fn transposed(seed: u64, m: usize, k: usize, n: usize) -> Outcome {
    let array = |seed, rows, columns| {
        Array::new(&[rows, columns], &numbers(seed, rows * columns))
    };
    let flipped = |it: &Array| permute(it, &[1, 0]);
    let is_flipped =
        choose([false; 2], [[false, true], [true, false], [true, true]]);
    let operands = |factors: [Array; 2]| {
        let [a, b] = factors;
        [(a, is_flipped[0]), (b, is_flipped[1])]
            .map(|(it, is)| if is { flipped(&it) } else { it })
    };
    let factors = [array(seed, m, k), array(seed + 1, k, n)];
    let grad_out = array(seed + 2, m, n);
    let right = operands([
        matmul(&grad_out, &flipped(&factors[1])),
        matmul(&flipped(&factors[0]), &grad_out),
    ]);
    let [a, b] = operands(factors);
    let given = |it: &Array| {
        let values = it.values.iter().map(|x| *x as f32).collect();
        Array2::from_shape_vec((it.shape[0], it.shape[1]), values)
            .expect("one value each")
    };
    let yours = yours::matmul_rule(&given(&a), &given(&b), &given(&grad_out));
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let flat: Vec<f32> = yours[at].iter().copied().collect();
        let found = Array::new(yours[at].shape(), &flat);
        values(&format!("The gradient of {name}"), &found, &right[at])?;
    }
    Ok(())
}

/// With the loss `sum((a x b) * w)`, the rule's `grad_out` is `w`.
fn product(seed: u64, m: usize, k: usize, n: usize) -> Outcome {
    if again() {
        return transposed(seed, m, k, n);
    }
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
