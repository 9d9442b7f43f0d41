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
            ("the loss gets a copy in 16 bits", half),
            ("a gradient without a scale is unchanged", plain),
            ("small gradients arrive", small),
            ("if a gradient is not finite, the result is None", none),
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
            "The gradient has the type {}. x is f32, and its gradient should \
             be too.",
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
            "The loss was called with {other}. It should be called with a copy \
             of x in f16."
        ))),
        None => Err(wrong("The loss was not computed.")),
    }
}

fn plain(_: &()) -> Outcome {
    let found = found(1024.0, |x| (x * x).sum())?;
    match found.as_deref() {
        Some([2.0, -4.0, 6.0]) => Ok(()),
        Some([2048.0, -4096.0, 6144.0]) => Err(wrong(
            "For the sum of the squares of [1, -2, 3] the gradient is 1024 \
             times too large: divide by the scale.",
        )),
        other => Err(wrong(format!(
            "For the sum of the squares of [1, -2, 3] the gradient is [2, -4, \
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
            "For (x / 2^26).sum() each gradient is {right:e}, but yours is 0: \
             a 16-bit value in the backward pass was too small. Scale the \
             loss, and divide by the scale in 32 bits."
        ))),
        other => Err(wrong(format!(
            "For (x / 2^26).sum() each gradient is {right:e}; yours are \
             {other:?}."
        ))),
    }
}

fn none(_: &()) -> Outcome {
    match found(32768.0, |x| (x * x).sum())? {
        None => Ok(()),
        Some(found) => Err(wrong(format!(
            "With a scale of 32768 some gradients in 16 bits are infinite, so \
             the result should be None; yours is {found:?}."
        ))),
    }
}
