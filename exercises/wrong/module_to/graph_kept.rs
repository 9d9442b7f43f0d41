// There, but the result of an operation: its gradient goes home.

use rungrad::Error;
use rungrad::part3_unified::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    for layer in layers {
        layer.weight = layer.weight.to(device)?;
        layer.bias = layer.bias.to(device)?;
    }
    Ok(())
}
