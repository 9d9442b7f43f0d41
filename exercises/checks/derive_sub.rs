//! Checks `derive_sub`, three operations that need no backward rule.
//!
//! A gradient check only shows that a gradient belongs to the computation.
//! That it is the intended computation is shown by its values.

use std::process::ExitCode;

use exercises::{
    Outcome, check, drawn, expect, judge, numbers, without, wrong,
};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::add;

exercises::yours!("part1_cpu/derive_sub.rs");

fn main() -> ExitCode {
    check(
        "derive_sub",
        YOURS,
        &[
            ("neg(a) and sub(a, b) have the right values", values),
            ("2 - a is not a - 2", reflected),
            ("no rule was written", derived),
            ("neg, sub and 2 - a pass their gradients on", gradients),
            ("they use only additions and multiplications", made),
        ],
    )
}

fn tensor(seed: u64) -> Tensor {
    Tensor::new(&[3, 5], &numbers(seed, 15))
}

/// The factor of `b` in `sub(a, b)`, which a variant draws.
fn times() -> f32 {
    drawn("times").unwrap_or(1.0)
}

/// Returns the expected elements.
fn right(a: &Tensor, b: &Tensor, f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    a.to_vec().iter().zip(b.to_vec()).map(|(x, y)| f(*x, y)).collect()
}

fn values(_: &()) -> Outcome {
    let (a, b) = (tensor(1), tensor(2));
    let negative = right(&a, &a, |x, _| -x);
    expect("neg(a)", &yours::neg(&a).to_vec(), &negative)?;
    let difference = right(&a, &b, |x, y| x - times() * y);
    expect("sub(a, b)", &yours::sub(&a, &b).to_vec(), &difference)
}

/// For `+` and `*` both orders are equal, which would hide a swapped order.
fn reflected(_: &()) -> Outcome {
    let a = tensor(3);
    let found = yours::number_minus(2.0, &a).to_vec();
    if found == right(&a, &a, |x, _| x - 2.0) {
        return Err(wrong(
            "number_minus(2.0, a) computes a - 2. The number comes first: it \
             should compute 2 - a.",
        ));
    }
    expect("number_minus(2.0, a)", &found, &right(&a, &a, |x, _| 2.0 - x))
}

/// Every operation on the tape must be one of the engine's.
fn derived(_: &()) -> Outcome {
    let (a, b) = (tensor(4), tensor(5));
    let out = yours::sub(&a, &yours::number_minus(2.0, &yours::neg(&b)));
    match out.tape().unchecked().first() {
        None => Ok(()),
        Some(op) => Err(wrong(format!(
            "The tape contains \"{op}\" with its own rule. Use only additions \
             and multiplications by numbers: their rules have already been \
             tested."
        ))),
    }
}

/// The loss is the sum of `(a - (2 - -b)) * w`.
fn gradients(_: &()) -> Outcome {
    let tensor = |seed| Tensor::new(&[3], &numbers(seed, 3));
    let (a, b, w) = (tensor(6), tensor(7), tensor(8));
    let inner = yours::number_minus(2.0, &yours::neg(&b));
    let loss = yours::sub(&a, &inner).mul(&w).sum();
    let mut tape = loss.backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    let says = "sum(sub(a, number_minus(2.0, neg(b))) * w)";
    judge(says, &tape, &["a", "b", "w"], |leaves| {
        let minus = |x: &f64| -f64::from(times()) * (2.0 + x);
        let mut inner = leaves[1].clone();
        inner.values = inner.values.iter().map(minus).collect();
        dot(&add(&leaves[0], &inner), &leaves[2])
    })
}

/// Rejects the engine's own versions of these operations.
fn made(_: &()) -> Outcome {
    let own = [
        "- a",
        "- b",
        "- &a",
        "- &b",
        "a - ",
        "number -",
        ".neg(",
        ".sub(",
        "Tensor::neg(",
        "Tensor::sub(",
    ];
    without(
        YOURS,
        &own,
        "that is the engine's own operator. Use only `+`, and `*` with a \
         number.",
    )
}
