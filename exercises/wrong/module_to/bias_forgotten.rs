// The large one of the two.

use rungrad::Error;
use rungrad::part3_unified::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    for layer in layers {
        layer.weight = layer.weight.detach().to(device)?.requires_grad();
    }
    Ok(())
}
