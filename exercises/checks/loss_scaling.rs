//! Checks `loss_scaling`, which keeps gradients from becoming 0 in 16 bits.

use std::cell::Cell;
use std::process::ExitCode;

use exercises::{Outcome, Stop, check, wrong};
use rungrad::part3_unified::{DType, Device, Tensor};

exercises::yours!("part3_unified/loss_scaling.rs");

fn main() -> ExitCode {
    check(
        "loss_scaling",
        YOURS,
        &[
            ("the loss is of a copy in 16 bits", half),
            ("a gradient is what it is without a scale", plain),
            ("small gradients arrive", small),
            ("what is not finite is none", none),
        ],
    )
}

fn leaf() -> Result<Tensor, Stop> {
    let x = Tensor::new(&[3], &[1.0, -2.0, 3.0], Device::Cpu)?;
    Ok(x.requires_grad())
}

/// Returns the learner's gradients, in `f32`.
fn found(
    scale: f64,
    loss: impl FnOnce(&Tensor) -> Tensor,
) -> Result<Option<Vec<f32>>, Stop> {
    let Some(grad) = yours::gradient(&leaf()?, scale, loss)? else {
        return Ok(None);
    };
    if grad.dtype() != DType::F32 {
        return Err(wrong(format!(
            "The gradient is of {}. x is of f32, and so is its gradient.",
            grad.dtype()
        )));
    }
    Ok(Some(grad.to_vec()?))
}

fn half(_: &()) -> Outcome {
    let seen = Cell::new(None);
    found(8.0, |x| {
        seen.set(Some(x.dtype()));
        x.sum()
    })?;
    match seen.get() {
        Some(DType::F16) => Ok(()),
        Some(other) => Err(wrong(format!(
            "The loss got {other}, and was to get a copy of x in f16."
        ))),
        None => Err(wrong("The loss was not computed.")),
    }
}

fn plain(_: &()) -> Outcome {
    let found = found(1024.0, |x| (x * x).sum())?;
    match found.as_deref() {
        Some([2.0, -4.0, 6.0]) => Ok(()),
        Some([2048.0, -4096.0, 6144.0]) => Err(wrong(
            "Of the sum of the squares of [1, -2, 3] the gradient came out \
             1024 times too large: take the scale out again.",
        )),
        other => Err(wrong(format!(
            "Of the sum of the squares of [1, -2, 3] the gradient is [2, -4, \
             6]; yours is {other:?}."
        ))),
    }
}

fn small(_: &()) -> Outcome {
    let least = 2_f64.powi(-13);
    let found = found(16384.0, |x| (x * least * least).sum())?;
    let right = (least * least) as f32;
    match found {
        Some(found) if found == [right; 3] => Ok(()),
        Some(found) if found == [0.0; 3] => Err(wrong(format!(
            "Of (x / 2^26).sum() each gradient is {right:e}, and 0 came \
             out: on its way some number of 16 bits was too small. Scale the \
             loss, and take the scale out in 32 bits."
        ))),
        other => Err(wrong(format!(
            "Of (x / 2^26).sum() each gradient is {right:e}; yours are \
             {other:?}."
        ))),
    }
}

fn none(_: &()) -> Outcome {
    match found(32768.0, |x| (x * x).sum())? {
        None => Ok(()),
        Some(found) => Err(wrong(format!(
            "With a scale of 32768 some gradients of 16 bits are infinite, so \
             there is none to be used; yours are {found:?}."
        ))),
    }
}
