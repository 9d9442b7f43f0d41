// loss_scaling: gradients that would become 0.
//
// WHAT   Compute a loss from an `f16` copy of `x`, and its gradient with
//        respect to `x`, which is an `f32` leaf. In backward everything must
//        be `scale` times as large, so that small gradients do not become 0.
//        Return the unscaled gradient in `f32`, or `None` if any element of it
//        is not finite.
// WHY    Below 2^-25 an `f16` is 0, and most gradients are small. Multiplying
//        by a power of two rounds nothing, and dividing by it undoes it
//        exactly.
// READ   Numbers of three sizes
// CHECK  cargo learn check loss_scaling

use rungrad::Error;
use rungrad::part3_unified::{DType, Tensor, grad};

/// Returns the gradient of `loss` with respect to `x`. `loss` receives an
/// `f16` copy of `x` and returns one `f16` element.
pub fn gradient(
    x: &Tensor,
    scale: f64,
    loss: impl FnOnce(&Tensor) -> Tensor,
) -> Result<Option<Tensor>, Error> {
    // HOLE
    //| // `x.to_dtype(..)` is differentiable; `grad(&[&y], &[x], false)`
    //| // differentiates.
    //| todo!("TODO(loss_scaling): scale, run backward, divide by the scale")
    let half = x.to_dtype(DType::F16)?;
    // The loss itself is converted to `f32`, so scaling it cannot overflow.
    let loss = loss(&half).to_dtype(DType::F32)? * scale;
    let scaled = grad(&[&loss], &[x], false).remove(0);
    let finite = scaled.to_vec()?.iter().all(|g| g.is_finite());
    Ok(finite.then(|| scaled / scale))
    // END HOLE
}
