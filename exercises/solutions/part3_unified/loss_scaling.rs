// loss_scaling: gradients that would be 0.
//
// WHAT   Compute a loss of a copy of `x` in 16 bits, and its gradient for `x`,
//        which is a leaf of 32 bits. On the way back everything is to be
//        `scale` times as large, so that nothing small becomes 0; what you
//        return is the gradient itself, in 32 bits, or `None` where some of
//        it is not finite.
// WHY    Below 2^-25 an `f16` is 0, and most gradients are small. A product
//        with a power of two rounds nothing, and costs nothing to take back.
// READ   Numbers of three sizes
// CHECK  cargo learn check loss_scaling

use rungrad::Error;
use rungrad::part3_unified::{DType, Tensor, grad};

/// Returns the gradient of `loss` for `x`. The loss is given a copy of `x` in
/// `f16`, and gives back one element of `f16`.
pub fn gradient(
    x: &Tensor,
    scale: f64,
    loss: impl FnOnce(&Tensor) -> Tensor,
) -> Result<Option<Tensor>, Error> {
    // HOLE
    //| // `x.to_dtype(..)` has a gradient; `grad(&[&y], &[x], false)` finds it.
    //| todo!("TODO(loss_scaling): scale it, go back, and take the scale out")
    let half = x.to_dtype(DType::F16)?;
    // The loss itself is in 32 bits, where it may be as large as it will.
    let loss = loss(&half).to_dtype(DType::F32)? * scale;
    let scaled = grad(&[&loss], &[x], false).remove(0);
    let finite = scaled.to_vec()?.iter().all(|g| g.is_finite());
    Ok(finite.then(|| scaled / scale))
    // END HOLE
}
