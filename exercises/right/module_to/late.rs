// Cuts off the graph after the move; the result is the same leaf.

use rungrad::Error;
use rungrad::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    for layer in layers {
        for parameter in [&mut layer.weight, &mut layer.bias] {
            let there = parameter.to(device)?.detach();
            *parameter = there.requires_grad();
        }
    }
    Ok(())
}
