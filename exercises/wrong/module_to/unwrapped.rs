// A refusal of the machine is a result, and this makes it a panic.

use rungrad::Error;
use rungrad::part3_unified::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    for layer in layers {
        for parameter in [&mut layer.weight, &mut layer.bias] {
            let there = parameter.detach().to(device).unwrap();
            *parameter = there.requires_grad();
        }
    }
    Ok(())
}
