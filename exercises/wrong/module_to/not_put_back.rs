// Four new tensors, and the model never hears of them.

use rungrad::Error;
use rungrad::part3_unified::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    for layer in layers {
        let weight = layer.weight.detach().to(device)?.requires_grad();
        let bias = layer.bias.detach().to(device)?.requires_grad();
    }
    Ok(())
}
