// module_to: a model that moves at once.
//
// WHAT   `to` moves a model to a device, every weight and every bias.
// WHY    It is what `model.to(device)` does in PyTorch, and what is left of a
//        GPU for whoever trains on one. The numbers are the easy part: on the
//        device, too, each parameter is a leaf that keeps its gradient.
// READ   Modules and training anywhere
// CHECK  cargo learn check module_to

use rungrad::Error;
use rungrad::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    // A layer has a `weight` and a `bias`. `t.to(device)?` is the same
    // tensor there, the result of an operation like any other.
    todo!("TODO(module_to): a new leaf in the place of each parameter")
}
