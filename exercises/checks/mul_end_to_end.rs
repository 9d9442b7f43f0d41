//! Checks `mul_end_to_end`, multiplication from the launch to the graph.

use std::process::ExitCode;

use exercises::{
    Outcome, Stop, check_on_device, drops_inside_drops, expect, judge, numbers,
    without, wrong,
};
use rungrad::gradcheck::dot;
use rungrad::ledger;
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::reference::mul;

exercises::yours!("part2_gpu/mul_end_to_end.rs");

fn main() -> ExitCode {
    check_on_device(
        "mul_end_to_end",
        YOURS,
        &[
            ("the product of 3 x 5 elements", |gpu| product(gpu, &[3, 5])),
            ("777 elements: four groups", |gpu| product(gpu, &[777])),
            ("one launch, and nothing is copied", thrifty),
            ("a and b get their gradients", gradients),
            ("x * x adds both gradients", square),
            ("no gradient is computed unless it is needed", asked),
            ("nothing is left when everything is dropped", freed),
            ("the rule holds no operand", chain),
            ("you wrote the multiplication yourself", written),
        ],
    )
}

fn tensor(gpu: &Gpu, seed: u64, shape: &[usize]) -> Result<Tensor, Stop> {
    let values = numbers(seed, shape.iter().product());
    Ok(Tensor::new(gpu, shape, &values)?)
}

/// The values, before any gradient.
fn product(gpu: &Gpu, shape: &[usize]) -> Outcome {
    let (a, b) = (tensor(gpu, 1, shape)?, tensor(gpu, 2, shape)?);
    let (x, y) = (a.to_vec()?, b.to_vec()?);
    let right: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
    let yours = yours::mul(&a, &b)?;
    if yours.shape() != shape {
        return Err(wrong(format!(
            "The product of two tensors of shape {shape:?} has shape {:?}.",
            yours.shape()
        )));
    }
    expect("the product", &yours.to_vec()?, &right)?;
    expect("a, after the product,", &a.to_vec()?, &x)?;
    expect("b, after the product,", &b.to_vec()?, &y)
}

/// Checks that the device computed the result.
fn thrifty(gpu: &Gpu) -> Outcome {
    let (a, b) = (tensor(gpu, 3, &[3])?, tensor(gpu, 4, &[3])?);
    let (made, cost) = ledger::measure(|| yours::mul(&a, &b));
    made?;
    if cost.bytes_to_host > 0 {
        return Err(wrong(format!(
            "The values are right, but were computed on the host: {} bytes \
             were read back and {} were written to the device again. A launch \
             leaves the data on the device.",
            cost.bytes_to_host, cost.bytes_to_device
        )));
    }
    match cost.launches {
        1 => Ok(()),
        more => Err(wrong(format!(
            "One launch is enough to compute the product, but yours took \
             {more}."
        ))),
    }
}

/// With the loss `sum(mul(a, b) * w)`, the rule's `grad_out` is `w`.
fn gradients(gpu: &Gpu) -> Outcome {
    let leaf = |seed| Ok::<_, Stop>(tensor(gpu, seed, &[3])?.requires_grad());
    let (a, b, w) = (leaf(5)?, leaf(6)?, leaf(7)?);
    let product = yours::mul(&a, &b)?;
    if !product.records() {
        return Err(wrong(
            "a and b require gradients, but their product does not: it was \
             computed, but not recorded. from_op takes the result, its parents \
             and the rule.",
        ));
    }
    let mut tape = product.mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(mul(a, b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// The same tensor as both operands counts as two operands.
fn square(gpu: &Gpu) -> Outcome {
    let x = tensor(gpu, 8, &[3])?.requires_grad();
    let w = tensor(gpu, 9, &[3])?.requires_grad();
    let mut tape = yours::mul(&x, &x)?.mul(&w).sum().backward_recorded();
    tape.set_name(x.id(), "x");
    tape.set_name(w.id(), "w");
    judge("sum(mul(x, x) * w)", &tape, &["x", "x", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// With one flag set, backward needs only one launch.
fn asked(gpu: &Gpu) -> Outcome {
    let w = tensor(gpu, 10, &[1])?;
    for asks in ["a", "b"] {
        let flag = |name| -> Result<Tensor, Stop> {
            let leaf = tensor(gpu, 11, &[1])?;
            Ok(if name == asks { leaf.requires_grad() } else { leaf })
        };
        let (a, b) = (flag("a")?, flag("b")?);
        let product = yours::mul(&a, &b)?;
        let ((), cost) = ledger::measure(|| product.backward_with(&w));
        if cost.launches != 1 {
            return Err(wrong(format!(
                "Only {asks} requires a gradient, but backward took {} \
                 launches. Call records on each operand, and return None for \
                 an operand that needs no gradient.",
                cost.launches
            )));
        }
    }
    let product = yours::mul(&w, &w)?;
    match product.records() || !product.parents().is_empty() {
        false => Ok(()),
        true => Err(wrong(
            "No operand requires a gradient, but the product was recorded.",
        )),
    }
}

/// Counts buffers and nodes after three steps that accumulate one gradient.
fn freed(gpu: &Gpu) -> Outcome {
    let (done, cost) = ledger::measure(|| -> Result<(), Stop> {
        let a = tensor(gpu, 12, &[1])?.requires_grad();
        let b = tensor(gpu, 13, &[1])?.requires_grad();
        for _ in 0..3 {
            yours::mul(&yours::mul(&a, &b)?, &b)?.backward();
        }
        Ok(())
    });
    done?;
    match cost.allocations - cost.frees {
        0 => Ok(()),
        left => Err(wrong(format!(
            "After three steps all tensors were dropped, but {left} buffers \
             are left on the device: tensors own each other in a cycle."
        ))),
    }
}

/// A rule that captures its operands hides them from the engine, which frees a
/// chain in a loop.
fn chain(gpu: &Gpu) -> Outcome {
    for links_by in ["a", "b"] {
        let deep = drops_inside_drops(|probe, links| {
            let one = Tensor::new(gpu, &[1], &[1.0])?;
            let leaf = one.clone().requires_grad();
            let copy = move |grad_out: &Tensor| {
                let _ = &probe;
                vec![Some(grad_out.clone())]
            };
            let mut y = Tensor::from_op("copy", &[&leaf], one.detach(), copy);
            for _ in 0..links {
                y = match links_by {
                    "a" => yours::mul(&y, &one)?,
                    _ => yours::mul(&one, &y)?,
                };
            }
            Ok(y)
        });
        if deep? {
            return Err(wrong(format!(
                "The rule holds its operand {links_by} itself, so each product \
                 owns the one before it a second time: a long chain of them is \
                 freed by nested drops, and the stack overflows. Let the rule \
                 hold a.detach() and b.detach(), which have the data but no \
                 graph."
            )));
        }
    }
    Ok(())
}

fn written(_: &Gpu) -> Outcome {
    without(
        YOURS,
        &[
            "a.mul(b)",
            "b.mul(a)",
            "a * b",
            "b * a",
            "Tensor::mul(a, b)",
            "Mul::mul(a, b)",
            "Tensor>::mul",
        ],
        "that is the engine's own multiplication. Here you write it: the \
         launch, the rule and the recording.",
    )
}
