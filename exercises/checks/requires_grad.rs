//! Checks `requires_grad`: which results are recorded, and for which operands
//! gradients are computed.
//!
//! Correct values show little of this, so the check examines flags, parents,
//! and the ledger's counts.

use std::process::ExitCode;
use std::ptr;

use exercises::{Outcome, Stop, check_on_device, judge, numbers, wrong};
use rungrad::gradcheck::dot;
use rungrad::ledger;
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::reference::mul;

exercises::yours!("part2_gpu/requires_grad.rs");

fn main() -> ExitCode {
    check_on_device(
        "requires_grad",
        YOURS,
        &[
            (
                "a result is recorded if any operand requires a gradient",
                recorded,
            ),
            ("a recorded result keeps all operands", operands),
            ("a and b get their gradients", gradients),
            ("no gradient is computed unless it is needed", thrift),
            ("a gradient keeps no graph", plain),
        ],
    )
}

/// Returns a tensor of three elements, with the flag or without.
fn tensor(gpu: &Gpu, seed: u64, flag: bool) -> Result<Tensor, Stop> {
    let tensor = Tensor::new(gpu, &[3], &numbers(seed, 3))?;
    Ok(if flag { tensor.requires_grad() } else { tensor })
}

/// Flags of one operand, of two and of three.
const FLAGS: [&[bool]; 9] = [
    &[true],
    &[false],
    &[true, true],
    &[true, false],
    &[false, true],
    &[false, false],
    &[false, false, true],
    &[true, false, false],
    &[false, false, false],
];

fn all_of(gpu: &Gpu, flags: &[bool]) -> Result<Vec<Tensor>, Stop> {
    flags.iter().zip(1..).map(|(&flag, i)| tensor(gpu, i, flag)).collect()
}

fn recorded(gpu: &Gpu) -> Outcome {
    let mut found = Vec::new();
    for flags in FLAGS {
        let tensors = all_of(gpu, flags)?;
        let operands: Vec<&Tensor> = tensors.iter().collect();
        found.push(yours::is_recorded(&operands));
    }
    let is = |rule: fn(&[bool]) -> bool| {
        FLAGS.iter().zip(&found).all(|(flags, found)| rule(flags) == *found)
    };
    let any = |flags: &[bool]| flags.contains(&true);
    let first = FLAGS.iter().zip(&found).find(|(it, found)| any(it) != **found);
    let Some((flags, _)) = first else { return Ok(()) };
    let why = if is(|flags| !flags.contains(&false)) {
        "You record only if all operands require a gradient. Data never does, \
         so no layer that reads data would learn: one operand is enough."
    } else if is(|flags| flags[0]) {
        "You check only the first operand. Check all of them."
    } else if is(|_| true) {
        "You record everything, so a network that only predicts would keep \
         everything it computes."
    } else if is(|_| false) {
        "You record nothing at all. records() tells whether an operand \
         requires a gradient; it has a gradient only after a backward pass."
    } else {
        "One operand that requires a gradient is enough, at any position."
    };
    let yours = if any(flags) { "not recorded" } else { "recorded" };
    Err(wrong(format!(
        "For operands with the flags {flags:?}, your is_recorded returns \
         {yours}. It should be the opposite.\n\n{why}"
    )))
}

fn operands(gpu: &Gpu) -> Outcome {
    for flags in FLAGS {
        let tensors = all_of(gpu, flags)?;
        let operands: Vec<&Tensor> = tensors.iter().collect();
        let kept = yours::parents(&operands);
        let ids: Vec<u64> = kept.iter().map(Tensor::id).collect();
        let all: Vec<u64> = tensors.iter().map(Tensor::id).collect();
        if !flags.contains(&true) {
            match ids[..] {
                [] => continue,
                _ => {
                    return Err(wrong(format!(
                        "No operand of {flags:?} requires a gradient, but the \
                         result keeps {}. Backward will never reach them, and \
                         their buffers cannot be freed.",
                        kept.len()
                    )));
                }
            }
        }
        if ids == all {
            continue;
        }
        let why = why_not(&tensors, &kept, &ids, &all);
        return Err(wrong(format!(
            "For operands with the flags {flags:?} the result should keep all \
             operands, in operand order, but it does not.\n\n{why}"
        )));
    }
    Ok(())
}

/// Describes what is wrong with the parents of a recorded result.
fn why_not(
    tensors: &[Tensor],
    kept: &[Tensor],
    ids: &[u64],
    all: &[u64],
) -> &'static str {
    let shares =
        |k: &Tensor| tensors.iter().any(|t| ptr::eq(t.buffer(), k.buffer()));
    if ids.is_empty() {
        "It keeps none, so no gradient flows back."
    } else if ids.iter().any(|id| !all.contains(id)) && kept.iter().all(shares)
    {
        "It keeps other tensors with the same data. A detached tensor is a \
         separate leaf: the gradient would stop there and never arrive."
    } else if ids.len() < all.len() && ids.iter().all(|id| all.contains(id)) {
        "List operands without the flag, too: the rule returns one entry per \
         parent, in order, which is None for such an operand."
    } else {
        "Keep the tensors that were given to you."
    }
}

/// With the loss `sum(mul(a, b) * w)`, the rule's `grad_out` is `w`. A later
/// step checks whether the gradients are recorded.
fn gradients(gpu: &Gpu) -> Outcome {
    let [a, b, w] = [tensor(gpu, 1, true)?, tensor(gpu, 2, true)?, {
        tensor(gpu, 3, true)?
    }];
    let product = a.detach().mul(&b.detach());
    let (x, y) = (a.clone(), b.clone());
    let product = Tensor::from_op("mul", &[&a, &b], product, move |grad_out| {
        let grads = yours::mul_rule(grad_out, &x, &y);
        grads.iter().map(|g| g.as_ref().map(Tensor::detach)).collect()
    });
    let mut tape = product.mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(mul(a, b) * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// With one flag set, backward needs only one launch.
fn thrift(gpu: &Gpu) -> Outcome {
    for flags in [[true, false], [false, true]] {
        let grad_out = tensor(gpu, 4, false)?;
        let (a, b) = (tensor(gpu, 5, flags[0])?, tensor(gpu, 6, flags[1])?);
        let (grads, cost) =
            ledger::measure(|| yours::mul_rule(&grad_out, &a, &b));
        let silent = if flags[0] { "b" } else { "a" };
        let given: Vec<bool> = grads.iter().map(Option::is_some).collect();
        if given == [true, true] {
            return Err(wrong(format!(
                "Only one operand requires a gradient, but your rule returns \
                 two. {silent} needs none: return None for it."
            )));
        }
        if given != flags {
            return Err(wrong(format!(
                "{silent} needs no gradient, but the other operand does. Your \
                 rule returns {given:?} (true for Some), and should return \
                 {flags:?}, in operand order."
            )));
        }
        if cost.launches != 1 {
            return Err(wrong(format!(
                "One gradient is needed, but your rule launches {} kernels. \
                 The gradient of {silent} is dropped: check the flag before \
                 you multiply.",
                cost.launches
            )));
        }
    }
    Ok(())
}

/// Checks flags and parents of the gradients, and that no buffer stays after
/// everything is dropped.
fn plain(gpu: &Gpu) -> Outcome {
    let (told, cost) = ledger::measure(|| -> Result<Option<String>, Stop> {
        let grad_out = tensor(gpu, 7, false)?;
        let (a, b) = (tensor(gpu, 8, true)?, tensor(gpu, 9, true)?);
        let grads = yours::mul_rule(&grad_out, &a, &b);
        let named = grads.iter().flatten().zip([("a", "b"), ("b", "a")]);
        let recorded = |(grad, names): (&Tensor, (&'static str, &str))| {
            let (own, other) = names;
            grad.records().then(|| {
                format!(
                    "The gradient of {own} requires a gradient itself, and \
                     keeps {} tensors. {own} will own it, it owns {other}, and \
                     the gradient of {other} owns {own}: a cycle that is never \
                     freed.\n\nThe flag of {other} was copied along with its \
                     data. The rule needs only the data.",
                    grad.parents().len()
                )
            })
        };
        Ok(named.into_iter().find_map(recorded))
    });
    if let Some(words) = told? {
        return Err(wrong(words));
    }
    match cost.allocations - cost.frees {
        0 => Ok(()),
        left => Err(wrong(format!(
            "When all tensors are dropped, {left} buffers are left on the \
             device: something still holds them."
        ))),
    }
}
