//! Checks `one_sweep`, the backward pass from the result to the leaves.
//!
//! The rules are the engine's and are correct. Only the gradients of the
//! leaves are compared.

use std::collections::HashMap;
use std::process::ExitCode;

use exercises::{Outcome, check, expect, judge, numbers, without, wrong};
use ndarray::ArrayD;
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::{Array, add, mul};

exercises::yours!("part1_cpu/one_sweep.rs");

fn main() -> ExitCode {
    check(
        "one_sweep",
        YOURS,
        &[
            ("a * b: one gradient per leaf", product),
            ("(a * b) * b: two gradients for b", shared),
            ("a diamond: two gradients are added in the middle", diamond),
            ("a second backward pass adds the same again", second),
            ("only leaves keep a gradient", leaves_only),
            ("a leaf that is its own root", alone),
            ("you wrote the backward pass yourself", yours),
        ],
    )
}

fn leaf(seed: u64) -> Tensor {
    Tensor::new(&[3], &numbers(seed, 3))
}

fn flat(grad: &ArrayD<f32>) -> Vec<f32> {
    grad.iter().copied().collect()
}

/// Returns the engine's tape, with the learner's gradients at the leaves.
fn swept(
    says: &str,
    loss: &Tensor,
    leaves: &[(&Tensor, &str)],
    operands: &[&str],
    f: impl Fn(&[Array]) -> f64,
) -> Outcome {
    let mut kept = HashMap::new();
    yours::sweep(loss, &mut kept);
    let mut tape = loss.backward_recorded();
    for (leaf, name) in leaves {
        tape.set_name(leaf.id(), name);
        let at = tape.position(leaf.id()).expect("a leaf of the loss");
        tape.records[at].grad = kept.get(&leaf.id()).map(flat);
    }
    judge(says, &tape, operands, f)
}

fn product(_: &()) -> Outcome {
    let (a, b) = (leaf(1), leaf(2));
    let loss = a.mul(&b).sum();
    let mut kept = HashMap::new();
    yours::sweep(&loss, &mut kept);
    let found = |t: &Tensor| kept.get(&t.id()).map(flat);
    if (found(&a), found(&b)) == (Some(a.to_vec()), Some(b.to_vec())) {
        return Err(wrong(
            "a got the gradient that the rule returns for b, and b the one for \
             a: the first gradient belongs to the first parent. `parents()` \
             and the gradients of a rule have the same order.",
        ));
    }
    swept("sum(a * b)", &loss, &[(&a, "a"), (&b, "b")], &["a", "b"], |its| {
        dot(&its[0], &its[1])
    })
}

fn shared(_: &()) -> Outcome {
    let (a, b) = (leaf(3), leaf(4));
    let loss = a.mul(&b).mul(&b).sum();
    let leaves = [(&a, "a"), (&b, "b")];
    let operands = ["a", "b", "b"];
    swept("sum((a * b) * b)", &loss, &leaves, &operands, |its| {
        dot(&mul(&its[0], &its[1]), &its[2])
    })
}

/// `c` has two uses, so its gradient is complete only after both.
fn diamond(_: &()) -> Outcome {
    let (a, b) = (leaf(5), leaf(6));
    let c = a.mul(&b);
    let loss = c.mul(&b).add(&c.mul(&a)).sum();
    let leaves = [(&a, "a"), (&b, "b")];
    let operands = ["a", "b", "b", "a", "b", "a"];
    swept("c = a * b, sum(c * b + c * a)", &loss, &leaves, &operands, |its| {
        let left = mul(&mul(&its[0], &its[1]), &its[2]);
        let right = mul(&mul(&its[3], &its[4]), &its[5]);
        add(&left, &right).values.iter().sum()
    })
}

/// The values of the chapter: a second pass doubles 9 and 16 to 18 and 32.
fn second(_: &()) -> Outcome {
    for (a, b, wrongly) in [(2.0, 3.0, 27.0), (3.0, 4.0, 48.0)] {
        let x = Tensor::new(&[], &[a]);
        let y = Tensor::new(&[], &[b]);
        let root = x.mul(&y).mul(&y);
        let mut kept = HashMap::new();
        yours::sweep(&root, &mut kept);
        yours::sweep(&root, &mut kept);
        let found = |t: &Tensor| kept.get(&t.id()).map(flat);
        let (of_x, of_y) = (found(&x), found(&y));
        let right = 2.0 * b * b;
        if of_x == Some(vec![wrongly]) {
            return Err(wrong(format!(
                "For a = {a} and b = {b}, after two backward passes a has \
                 {wrongly}. It should have {right}. The gradient of a * b from \
                 the first pass was still there in the second, and was passed \
                 on again."
            )));
        }
        let of = Option::unwrap_or_default;
        expect("a after two backward passes", &of(of_x), &[right])?;
        expect("b after two backward passes", &of(of_y), &[4.0 * a * b])?;
    }
    Ok(())
}

fn leaves_only(_: &()) -> Outcome {
    let (a, b) = (leaf(7), leaf(8));
    let loss = a.mul(&b).mul(&b).sum();
    let mut kept = HashMap::new();
    yours::sweep(&loss, &mut kept);
    let others = kept.len().saturating_sub(2);
    match others {
        0 => Ok(()),
        _ => Err(wrong(format!(
            "The map has {others} more entries than the gradients of the two \
             leaves. Gradients of inner tensors are not needed later, and they \
             take as much memory as the graph: keep only those of leaves."
        ))),
    }
}

/// The seed is passed on like any other gradient, even to a single leaf.
fn alone(_: &()) -> Outcome {
    let x = Tensor::new(&[], &[3.0]);
    let mut kept = HashMap::new();
    yours::sweep(&x, &mut kept);
    yours::sweep(&x, &mut kept);
    let found = kept.get(&x.id()).map(flat).unwrap_or_default();
    expect("x after two backward passes from x itself", &found, &[2.0])
}

fn yours(_: &()) -> Outcome {
    without(
        YOURS,
        &[
            ".backward(",
            ".backward_with(",
            ".backward_recorded(",
            "Tensor::backward",
        ],
        "that is the engine's backward pass. Here you write it, with \
         apply_rule and parents.",
    )
}
