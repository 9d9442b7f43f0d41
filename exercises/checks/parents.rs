//! Checks `parents`, a result that remembers its operands.
//!
//! Subtraction is used because its operands are not interchangeable, and `x -
//! x` because a set would contain `x` only once.

use std::process::ExitCode;

use exercises::{Outcome, check, choose, expect, numbers, wrong};
use rungrad::part1_cpu::Tensor;

exercises::yours!("part1_cpu/parents.rs");

fn main() -> ExitCode {
    check(
        "parents",
        YOURS,
        &[
            ("sub(a, b) remembers a and b", operands),
            ("sub(x, x) remembers each x", repeated),
            ("a graph of a - (b - a) has four tensors", graph),
            ("a gets its gradient, and b gets the negative", gradients),
        ],
    )
}

fn tensor(seed: u64) -> Tensor {
    Tensor::new(&[3], &numbers(seed, 3))
}

/// Returns the names of the operands. In a variant the rule returns its
/// gradients in a different order, or the gradient of one operand in two parts.
fn right() -> &'static [&'static str] {
    choose(&["a", "b"], [&["b", "a"], &["a", "b", "a"], &["b", "a", "b"]])
}

/// Compares by identity: a copy has equal values but is a different tensor.
fn operands(_: &()) -> Outcome {
    let (a, b) = (tensor(1), tensor(2));
    let out = yours::sub(&a, &b);
    let name = |tensor: &Tensor| match tensor.id() {
        id if id == a.id() => "a",
        id if id == b.id() => "b",
        _ => "another tensor",
    };
    let found: Vec<&str> = out.parents().iter().map(name).collect();
    let right = right();
    if found == right {
        return Ok(());
    }
    let why = match (&found[..], right) {
        (["b", "a"], ["a", "b"]) | (["a", "b"], ["b", "a"]) => {
            "They are reversed: the rule returns the gradient of the first \
             operand first."
        }
        ([] | ["a"] | ["b"], _) => {
            "A missing operand cannot be reached from the result, so it gets \
             no gradient."
        }
        _ if found.contains(&"another tensor") => {
            "Equal values are not enough: pass the tensors that were given to \
             you, not copies."
        }
        _ => "The rule returns one gradient for each operand in the list.",
    };
    Err(wrong(format!(
        "The operands of sub(a, b) are wrong.\n\n  yours  {}\n  right  \
         {}\n\n{why}",
        if found.is_empty() { "none".to_string() } else { found.join(", ") },
        right.join(", ")
    )))
}

/// The same tensor as both operands counts as two operands.
fn repeated(_: &()) -> Outcome {
    let (x, times) = (tensor(3), right().len());
    let out = yours::sub(&x, &x);
    let found = out.parents();
    if found.len() == times && found.iter().all(|it| it.id() == x.id()) {
        return Ok(());
    }
    Err(wrong(format!(
        "The operand list of sub(x, x) should contain x {times} times, but its \
         length is {}. A set contains each tensor once; a list contains every \
         occurrence.",
        found.len()
    )))
}

/// The engine finds its way through the remembered parents.
fn graph(_: &()) -> Outcome {
    let (a, b) = (tensor(4), tensor(5));
    let out = yours::sub(&a, &yours::sub(&b, &a));
    let reached = out.graph().len();
    match reached {
        4 => Ok(()),
        _ => Err(wrong(format!(
            "From a - (b - a) the engine reaches {reached} tensors. It should \
             reach 4: a, b, the inner difference and the outer one."
        ))),
    }
}

/// The purpose of the parents: gradients reach the operands.
fn gradients(_: &()) -> Outcome {
    let (a, b, w) = (tensor(6), tensor(7), tensor(8));
    yours::sub(&a, &b).mul(&w).sum().backward();
    let of = |t: &Tensor| match t.grad() {
        Some(grad) => Ok(grad.iter().copied().collect::<Vec<f32>>()),
        None => Err(wrong(
            "No gradient arrived at one of the operands: is it in the list?",
        )),
    };
    let negative: Vec<f32> = w.to_vec().iter().map(|w| -w).collect();
    expect("the gradient of a", &of(&a)?, &w.to_vec())?;
    expect("the gradient of b", &of(&b)?, &negative)
}
