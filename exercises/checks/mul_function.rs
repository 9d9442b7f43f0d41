//! Checks `mul_function`, multiplication as a `Function`.
//!
//! Besides the gradients it checks what stays in memory: an operand that no
//! gradient needs must not be saved.

use std::process::ExitCode;
use std::sync::Arc;

use exercises::{Outcome, Stop, check, expect, judge, numbers, wrong};
use rungrad::gradcheck::dot;
use rungrad::part3_unified::{Device, Tensor, apply, grad, trace};
use rungrad::reference::mul;

exercises::yours!("part3_unified/mul_function.rs");

fn main() -> ExitCode {
    check(
        "mul_function",
        YOURS,
        &[
            ("the product of 3 x 5 elements", product),
            ("backward gives a and b their gradients", gradients),
            ("nothing is saved or computed needlessly", thrift),
            ("the gradient of x * x * x can be differentiated", twice),
        ],
    )
}

fn tensor(seed: u64, shape: &[usize]) -> Result<Tensor, Stop> {
    let values = numbers(seed, shape.iter().product());
    Ok(Tensor::new(shape, &values, Device::Cpu)?)
}

/// The values, before any gradient.
fn product(_: &()) -> Outcome {
    let (a, b) = (tensor(1, &[3, 5])?, tensor(2, &[3, 5])?);
    let right = a.mul(&b).to_vec()?;
    expect("the product", &apply(yours::Mul, &[&a, &b]).to_vec()?, &right)
}

/// With the loss `sum(mul(a, b) * w)`, backward's `grad_out` is `w`.
fn gradients(_: &()) -> Outcome {
    let a = tensor(3, &[3])?.requires_grad();
    let b = tensor(4, &[3])?.requires_grad();
    let w = tensor(5, &[3])?.requires_grad();
    let loss = trace(|| apply(yours::Mul, &[&a, &b]).mul(&w).sum());
    let mut tape = loss.backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id().expect("it requires a gradient"), name);
    }
    judge("sum(mul(a, b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// Only `a` requires a gradient. That gradient is computed from `b`, so the
/// graph holds a second reference to the data of `b`, and `a` is held only by
/// its leaf.
fn thrift(_: &()) -> Outcome {
    let a = tensor(6, &[3])?.requires_grad();
    let b = tensor(7, &[3])?;
    let holders = |t: &Tensor| Arc::strong_count(t.array().storage());
    let before = (holders(&a), holders(&b));
    let product = apply(yours::Mul, &[&a, &b]);
    if holders(&a) > before.0 {
        return Err(wrong(
            "Only a needs a gradient, and forward saved a as well. The \
             gradient of a is computed from b: check ctx.needs before you \
             save.",
        ));
    }
    if holders(&b) == before.1 {
        return Err(wrong(
            "Only a needs a gradient, which is computed from b, but forward \
             did not save b.",
        ));
    }
    let tape = product.sum().backward_recorded();
    let product = tape.records.iter().find(|record| record.op == "mul");
    if product
        .and_then(|record| record.parent_grads.get(1))
        .is_some_and(Option::is_some)
    {
        return Err(wrong(
            "b needs no gradient, but backward computed one. Return None for \
             an operand for which ctx.needs is false.",
        ));
    }
    Ok(())
}

/// The derivative of x * x * x is 3 x², and the second derivative is 6 x.
fn twice(_: &()) -> Outcome {
    let x = tensor(8, &[1])?.requires_grad();
    let square = apply(yours::Mul, &[&x, &x]);
    let cube = apply(yours::Mul, &[&square, &x]).sum();
    let first = grad(&[&cube], &[&x], true).remove(0);
    let second = grad(&[&first.sum()], &[&x], false).remove(0).to_vec()?;
    // A detached result is a constant, so its derivative is 0.
    if second == [0.0] {
        return Err(wrong(
            "The gradient has no graph, so it cannot be differentiated: use \
             grad_out and ctx.input(..) as they are, without detaching them.",
        ));
    }
    let at = x.to_vec()?[0];
    expect("the gradient of x * x * x", &first.to_vec()?, &[3.0 * at * at])?;
    expect("the gradient of that gradient", &second, &[6.0 * at])
}
