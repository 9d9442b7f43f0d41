// The sum of the losses, not divided by their number.

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
    let mut losses = Vec::new();
    for (inputs, labels) in batches {
        let loss = network.forward(inputs).cross_entropy(labels);
        loss.backward();
        sgd.step(network.parameters_mut());
        losses.push(loss.detach());
    }
    let losses = Tensor::stack(&losses.iter().collect::<Vec<_>>(), 0);
    let losses = losses.to_vec()?;
    let mean = losses.iter().sum::<f32>();
    let least = losses.into_iter().fold(f32::INFINITY, f32::min);
    Ok(Report { mean, least })
}
