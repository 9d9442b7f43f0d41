//! Checks `parents`, a result that remembers its operands.
//!
//! Subtraction is used because its operands are not interchangeable, and `x -
//! x` because a set would contain `x` only once.

use std::process::ExitCode;

use exercises::{Outcome, again, check, expect, numbers, wrong};
use rungrad::part1_cpu::Tensor;

exercises::yours!("part1_cpu/parents.rs");

fn main() -> ExitCode {
    check(
        "parents",
        YOURS,
        &[
            ("sub(a, b) remembers a and b", operands),
            ("sub(x, x) remembers x twice", twice),
            ("a graph of a - (b - a) has four tensors", graph),
            ("a gets its gradient, and b gets the negative", gradients),
        ],
    )
}

fn tensor(seed: u64) -> Tensor {
    Tensor::new(&[3], &numbers(seed, 3))
}

/// Compares by identity: a copy has equal values but is a different tensor.
fn operands(_: &()) -> Outcome {
    let (a, b) = (tensor(1), tensor(2));
    let out = yours::sub(&a, &b);
    let ids: Vec<u64> = out.parents().iter().map(Tensor::id).collect();
    // In a variant the rule returns the gradient of b first.
    let (right, shown) = match again() {
        false => ([a.id(), b.id()], "a, b"),
        true => ([b.id(), a.id()], "b, a"),
    };
    if ids == right {
        return Ok(());
    }
    let name = |id: &u64| match *id {
        id if id == a.id() => "a",
        id if id == b.id() => "b",
        _ => "another tensor",
    };
    let found: Vec<&str> = ids.iter().map(name).collect();
    let why = match found[..] {
        ["b", "a"] | ["a", "b"] => {
            "They are reversed: the rule returns the gradient of the first \
             operand first."
        }
        [] | ["a"] | ["b"] => {
            "A missing operand cannot be reached from the result, so it gets \
             no gradient."
        }
        _ => {
            "Equal values are not enough: pass the tensors that were given to \
             you, not copies."
        }
    };
    Err(wrong(format!(
        "The operands of sub(a, b) are wrong.\n\n  yours  {}\n  right  \
         {shown}\n\n{why}",
        if found.is_empty() { "none".to_string() } else { found.join(", ") }
    )))
}

/// The same tensor as both operands counts as two operands.
fn twice(_: &()) -> Outcome {
    let x = tensor(3);
    match yours::sub(&x, &x).parents() {
        [first, second] if first.id() == x.id() && second.id() == x.id() => {
            Ok(())
        }
        others => Err(wrong(format!(
            "The operand list of sub(x, x) should contain x twice, but its \
             length is {}. A set contains each tensor once; a list contains \
             every occurrence.",
            others.len()
        ))),
    }
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
