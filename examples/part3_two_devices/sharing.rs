//! The network of the digits, and its loss on two devices. The tests share
//! by it too.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::nn::{Linear, Module, Sequential};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

/// Every call gives the same numbers.
pub(crate) fn network() -> Sequential {
    let mut random = Random::new(0);
    Sequential::new()
        .then(Linear::new(64, 64, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(64, 10, &mut random))
}

/// The mean loss of the rows, where the model is.
pub(crate) fn loss(
    model: &Sequential,
    rows: &Dataset,
    device: Device,
) -> Result<Tensor, Error> {
    let x = Tensor::new(&rows.shape(), &rows.inputs, device)?;
    Ok(model.forward(&x).cross_entropy(&rows.labels))
}

// ANCHOR: shared-loss
/// The mean loss of all rows, of which each device gets a share. The model
/// is on the first.
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

/// A model whose parameters are those of another one, moved and not cut off:
/// `to` is an operation like any other, and gradients travel back by it.
fn copy_on(model: &Sequential, device: Device) -> Result<Sequential, Error> {
    let mut copy = network();
    let pairs = copy.parameters_mut().into_iter().zip(model.parameters());
    for ((_, theirs), (_, ours)) in pairs {
        *theirs = ours.to(device)?;
    }
    Ok(copy)
}
// ANCHOR_END: shared-loss
