//! Checks `mul_rule`, the local gradient of a multiplication.

use std::process::ExitCode;

use exercises::steps::{Binary, mul_rule};
use exercises::{
    DepthProbe, Outcome, Step, check_answer, drops_inside_drops, without, wrong,
};
use rungrad::part1_cpu::Tensor;

exercises::yours!("part1_cpu/mul_rule.rs");

/// What only the text of the rule and its memory show.
const OWN: &[Step<Binary>] = &[
    ("the rule holds arrays instead of tensors", held),
    ("you wrote the multiplication yourself", yours),
];

fn main() -> ExitCode {
    let mul: Binary = Box::new(yours::mul);
    let steps = [mul_rule::STEPS, OWN].concat();
    check_answer("mul_rule", YOURS, mul, &steps)
}

/// A rule that captures its operands hides them from the engine, which frees a
/// chain in a loop.
fn held(mul: &Binary) -> Outcome {
    for links_by in ["a", "b"] {
        let deep = drops_inside_drops(|probe, links| {
            let one = Tensor::new(&[], &[1.0]);
            let mut y = over(&one, probe);
            for _ in 0..links {
                y = match links_by {
                    "a" => mul(&y, &one),
                    _ => mul(&one, &y),
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

fn yours(_: &Binary) -> Outcome {
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
