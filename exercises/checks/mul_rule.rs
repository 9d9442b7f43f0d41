//! Checks `mul_rule`, the local gradient of a multiplication.
//!
//! The elements of both operands and of `grad_out` are all different: with
//! ones everywhere, a rule that forgets a factor would pass.

use std::process::ExitCode;

use exercises::{
    DepthProbe, Outcome, check, drawn, drops_inside_drops, expect, judge,
    numbers, without, wrong,
};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::mul;

exercises::yours!("part1_cpu/mul_rule.rs");

fn main() -> ExitCode {
    check(
        "mul_rule",
        YOURS,
        &[
            ("mul(a, b) is the product of 3 x 5 elements", product),
            ("the rule gives a and b their gradients", gradients),
            ("mul(x, x) gives x the sum of both gradients", square),
            ("the rule holds arrays instead of tensors", held),
            ("you wrote the multiplication yourself", yours),
        ],
    )
}

/// The values, before any gradient.
fn product(_: &()) -> Outcome {
    let (x, y) = (numbers(1, 15), numbers(2, 15));
    let a = Tensor::new(&[3, 5], &x);
    let b = Tensor::new(&[3, 5], &y);
    let factor = drawn("factor").unwrap_or(1.0);
    let right: Vec<f32> =
        x.iter().zip(&y).map(|(x, y)| factor * x * y).collect();
    expect("mul(a, b)", &yours::mul(&a, &b).to_vec(), &right)
}

/// With the loss `sum(mul(a, b) * w)`, the rule's `grad_out` is `w`.
fn gradients(_: &()) -> Outcome {
    let a = Tensor::new(&[3], &numbers(3, 3));
    let b = Tensor::new(&[3], &numbers(4, 3));
    let w = Tensor::new(&[3], &numbers(5, 3));
    if let Some(factor) = drawn("factor") {
        return scaled(factor, [&a, &b], &w);
    }
    let mut tape = yours::mul(&a, &b).mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(mul(a, b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// The same tensor as both operands counts as two operands.
fn square(_: &()) -> Outcome {
    let x = Tensor::new(&[3], &numbers(6, 3));
    let w = Tensor::new(&[3], &numbers(7, 3));
    if let Some(factor) = drawn("factor") {
        return scaled(factor, [&x, &x], &w);
    }
    let mut tape = yours::mul(&x, &x).mul(&w).sum().backward_recorded();
    tape.set_name(x.id(), "x");
    tape.set_name(w.id(), "w");
    judge("sum(mul(x, x) * w)", &tape, &["x", "x", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// Compares the gradients of a variant, whose product has a factor that the
/// judge does not know.
fn scaled(factor: f32, [a, b]: [&Tensor; 2], w: &Tensor) -> Outcome {
    yours::mul(a, b).mul(w).sum().backward();
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

/// A rule that captures its operands hides them from the engine, which frees a
/// chain in a loop.
fn held(_: &()) -> Outcome {
    for links_by in ["a", "b"] {
        let deep = drops_inside_drops(|probe, links| {
            let one = Tensor::new(&[], &[1.0]);
            let mut y = over(&one, probe);
            for _ in 0..links {
                y = match links_by {
                    "a" => yours::mul(&y, &one),
                    _ => yours::mul(&one, &y),
                };
            }
            Ok(y)
        });
        if deep? {
            return Err(wrong(format!(
                "The rule holds its operand {links_by} itself, so each product \
                 owns the one before it a second time: a long chain of them is \
                 freed by nested drops, and the stack overflows. Let the rule \
                 hold the arrays, a.data() and b.data()."
            )));
        }
    }
    Ok(())
}

/// Returns a tensor whose rule holds the probe.
fn over(leaf: &Tensor, probe: DepthProbe) -> Tensor {
    let data = (*leaf.data()).clone();
    Tensor::from_op("copy", &[leaf], data, move |grad_out| {
        let _ = &probe;
        vec![grad_out.clone()]
    })
}

fn yours(_: &()) -> Outcome {
    without(
        YOURS,
        &[
            "a * b",
            "b * a",
            "a.mul(b)",
            "b.mul(a)",
            "Tensor::mul(a, b)",
            "Mul::mul(a, b)",
            "Tensor>::mul",
        ],
        "that is the engine's multiplication of two tensors, with the engine's \
         rule. Here you write the rule: multiply the arrays, and pass the rule \
         to from_op.",
    )
}
