//! Gradient clipping by the norm of all gradients.

use super::{Parameter, Tensor, first_places, gradients, no_grad};
use crate::error::mistake;

/// Scales all gradients by the same factor if their norm, as one vector,
/// exceeds `most`. Call it between `backward` and `step`. Returns the norm
/// before clipping, without waiting for the device. Parameters without a
/// gradient are skipped.
///
/// The norm overflows only if it is itself too large for the type. As in
/// PyTorch, 1e-6 is added to the norm to avoid division by 0. If a gradient
/// contains NaN, all gradients become NaN; if one contains infinity, that
/// element becomes NaN and finite elements become 0. PyTorch's
/// `error_if_nonfinite` rejects both cases. Here, check before the step that
/// the returned norm is finite, which waits for the device.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// use rungrad::optim::clip_grad_norm;
///
/// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
/// (&x * &x).sum().backward();
/// let norm = clip_grad_norm(&[("x".to_string(), &x)], 1.0);
/// assert_eq!(norm.item()?, 10.0);
/// assert!((x.grad().unwrap().norm().item()? - 1.0).abs() < 1e-5);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If `most` is negative or NaN, if no parameter has a gradient, if a parameter
/// is not a leaf, or if the devices differ.
#[doc(alias = "clip_grad_norm_")]
// ANCHOR: clip
#[track_caller]
pub fn clip_grad_norm(parameters: &[Parameter], most: f32) -> Tensor {
    if most.is_nan() || most < 0.0 {
        mistake(format!(
            "clip_grad_norm: the largest norm is {most}; give a number that is \
             at least 0"
        ));
    }
    // Tied weights have one gradient, which must be counted and scaled once.
    let mut parameters = first_places(parameters);
    let named = parameters.iter().map(|(name, it)| (&name[..], *it));
    let grads = gradients("clip_grad_norm", named);
    parameters.retain(|(_, parameter)| parameter.grad().is_some());
    let grads: Vec<Tensor> = grads.into_iter().flatten().collect();
    let (norm, clipped) = no_grad(|| {
        let vectors = grads.iter().map(|grad| grad.reshape(&[grad.len()]));
        let vectors: Vec<Tensor> = vectors.collect();
        // `norm` scales by the largest element before squaring; concatenate,
        // so that this is the largest element of all gradients.
        let norm = Tensor::cat(&vectors.iter().collect::<Vec<_>>(), 0).norm();
        let share = norm.shift(1e-6).rdiv_scalar(most);
        let share = share.minimum(&share.ones_like());
        let clipped = grads.iter().map(|grad| grad.mul(&share));
        (norm, clipped.collect::<Vec<_>>())
    });
    for ((_, parameter), clipped) in parameters.iter().zip(clipped) {
        parameter.set_grad(clipped);
    }
    norm
}
// ANCHOR_END: clip
