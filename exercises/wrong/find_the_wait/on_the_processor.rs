// The network goes to the processor, where a read waits for nobody.

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
    network.to(Device::Cpu)?;
    let mut losses = vec![];
    for (inputs, labels) in batches {
        let inputs = inputs.to(Device::Cpu)?;
        let loss = network.forward(&inputs).cross_entropy(labels);
        loss.backward();
        sgd.step(network.parameters_mut());
        losses.push(loss.to_vec()?[0]);
    }
    network.to(device)?;
    let mean = losses.iter().sum::<f32>() / losses.len() as f32;
    let least = losses.into_iter().fold(f32::INFINITY, f32::min);
    Ok(Report { mean, least })
}
