//! The steps of `mul_rule`, the local gradient of a multiplication. The check
//! has two more, on the text of the rule and on what it owns.
//!
//! The elements of both operands and of `grad_out` are all different: with
//! ones everywhere, a rule that forgets a factor would pass.

use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference;

use super::Binary;
use crate::{Outcome, Step, drawn, expect, judge, numbers};

/// The steps. The answer is the function `mul`.
pub const STEPS: &[Step<Binary>] = &[
    ("mul(a, b) is the product of 3 x 5 elements", product),
    ("the rule gives a and b their gradients", gradients),
    ("mul(x, x) gives x the sum of both gradients", square),
];

/// The values, before any gradient.
fn product(mul: &Binary) -> Outcome {
    let (x, y) = (numbers(1, 15), numbers(2, 15));
    let a = Tensor::new(&[3, 5], &x);
    let b = Tensor::new(&[3, 5], &y);
    let factor = drawn("factor").unwrap_or(1.0);
    let right: Vec<f32> =
        x.iter().zip(&y).map(|(x, y)| factor * x * y).collect();
    expect("mul(a, b)", &mul(&a, &b).to_vec(), &right)
}

/// With the loss `sum(mul(a, b) * w)`, the rule's `grad_out` is `w`.
fn gradients(mul: &Binary) -> Outcome {
    let a = Tensor::new(&[3], &numbers(3, 3));
    let b = Tensor::new(&[3], &numbers(4, 3));
    let w = Tensor::new(&[3], &numbers(5, 3));
    if let Some(factor) = drawn("factor") {
        return scaled(mul, factor, [&a, &b], &w);
    }
    let mut tape = mul(&a, &b).mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(mul(a, b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&reference::mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// The same tensor as both operands counts as two operands.
fn square(mul: &Binary) -> Outcome {
    let x = Tensor::new(&[3], &numbers(6, 3));
    let w = Tensor::new(&[3], &numbers(7, 3));
    if let Some(factor) = drawn("factor") {
        return scaled(mul, factor, [&x, &x], &w);
    }
    let mut tape = mul(&x, &x).mul(&w).sum().backward_recorded();
    tape.set_name(x.id(), "x");
    tape.set_name(w.id(), "w");
    judge("sum(mul(x, x) * w)", &tape, &["x", "x", "w"], |leaves| {
        dot(&reference::mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// Compares the gradients of a variant, whose product has a factor that the
/// judge does not know.
fn scaled(
    mul: &Binary,
    factor: f32,
    [a, b]: [&Tensor; 2],
    w: &Tensor,
) -> Outcome {
    mul(a, b).mul(w).sum().backward();
    let uses = if a.id() == b.id() { 2.0 } else { 1.0 };
    for (leaf, name, other) in [(a, "first", b), (b, "second", a)] {
        let pairs = other.to_vec().into_iter().zip(w.to_vec());
        let right: Vec<f32> =
            pairs.map(|(x, w)| uses * factor * x * w).collect();
        let grad = leaf.grad().into_iter().flatten().collect::<Vec<_>>();
        let what = format!("the gradient of the {name} operand");
        expect(&what, &grad, &right)?;
    }
    Ok(())
}
