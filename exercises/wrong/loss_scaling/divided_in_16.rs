// The scale is taken out in 16 bits, where small is 0 again.

use rungrad::Error;
use rungrad::part3_unified::{DType, Tensor, grad};

/// Returns the gradient of `loss` for `x`. The loss is given a copy of `x` in
/// `f16`, and gives back one element of `f16`.
pub fn gradient(
    x: &Tensor,
    scale: f64,
    loss: impl FnOnce(&Tensor) -> Tensor,
) -> Result<Option<Tensor>, Error> {
    let half = x.to_dtype(DType::F16)?.detach().requires_grad();
    // The loss itself is in 32 bits, where it may be as large as it will.
    let loss = loss(&half).to_dtype(DType::F32)? * scale;
    let scaled = grad(&[&loss], &[&half], false).remove(0);
    let finite = scaled.to_vec()?.iter().all(|g| g.is_finite());
    match finite {
        true => Ok(Some((scaled / scale).to_dtype(DType::F32)?)),
        false => Ok(None),
    }
}
