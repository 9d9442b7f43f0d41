//! Gradients that are too long are made shorter.

use super::{Parameter, Tensor, first_places, gradient, no_grad};

/// Scales all gradients down together, if their length as one vector is more
/// than `most`; call it between backward and step. It returns the length that
/// they had, and reads no number from a device.
///
/// As in PyTorch a millionth is added to the length, so that a length of 0 is
/// divided by. One gradient that is no number makes all of them none.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// use rungrad::part3_unified::optim::clip_grad_norm;
///
/// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
/// (&x * &x).sum().backward();
/// let length = clip_grad_norm(&[("x".to_string(), &x)], 1.0);
/// assert_eq!(length.item()?, 10.0);
/// assert!((x.grad().unwrap().norm().item()? - 1.0).abs() < 1e-5);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If a parameter has no gradient, or the devices differ.
#[doc(alias = "clip_grad_norm_")]
// ANCHOR: clip
#[track_caller]
pub fn clip_grad_norm(parameters: &[Parameter], most: f32) -> Tensor {
    // Tied weights have one gradient, which is measured and scaled once.
    let parameters = first_places(parameters);
    let mut grads = Vec::new();
    for (name, parameter) in &parameters {
        grads.push(gradient("clip_grad_norm", name, parameter));
    }
    let (norm, clipped) = no_grad(|| {
        let squares = grads.iter().map(|grad| grad.mul(grad).sum());
        let norm = squares.sum::<Tensor>().sqrt();
        let share = norm.shift(1e-6).rdiv_scalar(most);
        let share = share.minimum(&share.ones_like());
        let clipped = grads.iter().map(|grad| grad.mul(&share));
        (norm, clipped.collect::<Vec<_>>())
    });
    for ((_, parameter), clipped) in parameters.iter().zip(clipped) {
        let place = parameter.node.as_ref().and_then(|node| node.grad());
        *place.expect("a leaf that has a gradient") = Some(clipped);
    }
    norm
}
// ANCHOR_END: clip
