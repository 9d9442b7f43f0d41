//! Checks `saves_output`, an exponential that saves its result.
//!
//! Besides the gradient it checks which nodes hold the operand's data.

use std::process::ExitCode;
use std::sync::Arc;

use exercises::{Outcome, Stop, check, drawn, expect, judge, numbers, wrong};
use rungrad::gradcheck::dot;
use rungrad::part3_unified::{Device, Tensor, apply, grad, trace};
use rungrad::reference::exp;

exercises::yours!("part3_unified/saves_output.rs");

fn main() -> ExitCode {
    check(
        "saves_output",
        YOURS,
        &[
            ("the exponentials of 7 numbers", values),
            ("backward gives the operand its gradient", gradient),
            ("the operand's data is not saved", thrift),
            ("the gradient can be differentiated", twice),
        ],
    )
}

fn tensor(seed: u64, n: usize) -> Result<Tensor, Stop> {
    let values: Vec<f32> = numbers(seed, n).iter().map(|x| x / 4.0).collect();
    Ok(Tensor::new(&[n], &values, Device::Cpu)?)
}

/// The factor of the exponent, which a variant draws.
fn factor() -> f32 {
    drawn("factor").unwrap_or(1.0)
}

/// Returns the exponentials, or their derivative of some order.
fn right(x: &Tensor, order: i32) -> Result<Vec<f32>, Stop> {
    let each = |x: &f32| factor().powi(order) * (factor() * x).exp();
    Ok(x.to_vec()?.iter().map(each).collect())
}

fn values(_: &()) -> Outcome {
    let a = tensor(1, 7)?;
    let yours = apply(yours::Exp, &[&a]).to_vec()?;
    expect("the exponential", &yours, &right(&a, 0)?)
}

/// With the loss `sum(exp(a) * w)`, backward's `grad_out` is `w`.
fn gradient(_: &()) -> Outcome {
    let a = tensor(2, 3)?.requires_grad();
    if drawn("factor").is_some() {
        // The judge knows only the exponential without a factor.
        let sum = apply(yours::Exp, &[&a]).sum();
        let yours = grad(&[&sum], &[&a], false).remove(0).to_vec()?;
        return expect("the gradient", &yours, &right(&a, 1)?);
    }
    let w = tensor(3, 3)?.requires_grad();
    let loss = trace(|| apply(yours::Exp, &[&a]).mul(&w).sum());
    let mut tape = loss.backward_recorded();
    for (leaf, name) in [(&a, "a"), (&w, "w")] {
        tape.set_name(leaf.id().expect("it requires a gradient"), name);
    }
    judge("sum(exp(a) * w)", &tape, &["a", "w"], |leaves| {
        dot(&exp(&leaves[0]), &leaves[1])
    })
}

fn thrift(_: &()) -> Outcome {
    let a = tensor(4, 3)?.requires_grad();
    let holders = |t: &Tensor| Arc::strong_count(t.array().storage());
    let before = holders(&a);
    let out = apply(yours::Exp, &[&a]);
    if holders(&a) > before {
        return Err(wrong(
            "The graph holds the data of the operand, which is not needed: the \
             derivative is the result itself. Save the result.",
        ));
    }
    match holders(&out) {
        1 => Err(wrong(
            "The graph has not saved the result, so backward has to compute it \
             again.",
        )),
        _ => Ok(()),
    }
}

/// Every derivative of e to the x is e to the x. A factor of the exponent
/// becomes a factor of each derivative.
fn twice(_: &()) -> Outcome {
    let x = tensor(5, 1)?.requires_grad();
    let y = apply(yours::Exp, &[&x]).sum();
    let first = grad(&[&y], &[&x], true).remove(0);
    let second = grad(&[&first.sum()], &[&x], false).remove(0).to_vec()?;
    if second == [0.0] {
        return Err(wrong(
            "The gradient has no graph, so it cannot be differentiated: \
             `ctx.output()` is a tensor of the graph, and a copy is not.",
        ));
    }
    expect("the second derivative", &second, &right(&x, 2)?)
}
