//! The network of the digits, and its loss computed on two devices. The tests
//! use this module too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

/// Creates the network. Every call gives the same initial weights.
pub(crate) fn network() -> Sequential {
    let mut random = Random::new(0);
    Sequential::new()
        .then(Linear::new(64, 64, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(64, 10, &mut random))
}

/// Returns the mean loss of the rows, computed on the model's device.
pub(crate) fn loss(
    model: &Sequential,
    rows: &Dataset,
    device: Device,
) -> Result<Tensor, Error> {
    let x = Tensor::new(&rows.shape(), &rows.inputs, device)?;
    Ok(model.forward(&x).cross_entropy(&rows.labels))
}

// ANCHOR: shared-loss
/// Returns the mean loss of all rows, split over the devices. The model is on
/// the first.
pub(crate) fn shared_loss(
    model: &Sequential,
    shares: [&Dataset; 2],
    [here, there]: [Device; 2],
) -> Result<Tensor, Error> {
    let copy = copy_on(model, there)?;
    let first = loss(model, shares[0], here)?;
    let second = loss(&copy, shares[1], there)?.to(here)?;
    let [n, m] = shares.map(|share| share.rows() as f32);
    Ok(first * (n / (n + m)) + second * (m / (n + m)))
}
// ANCHOR_END: shared-loss

// ANCHOR: copy-on
/// Returns a model whose parameters are copies of `model`'s on another device.
/// They are not detached: `to` is a differentiable operation, so gradients
/// flow back to the original.
fn copy_on(model: &Sequential, device: Device) -> Result<Sequential, Error> {
    let mut copy = network();
    let pairs = copy.parameters_mut().into_iter().zip(model.parameters());
    for ((_, theirs), (_, ours)) in pairs {
        *theirs = ours.to(device)?;
    }
    Ok(copy)
}
// ANCHOR_END: copy-on
