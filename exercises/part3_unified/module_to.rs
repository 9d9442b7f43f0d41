// module_to: move a whole model.
//
// WHAT   `to` moves a model to a device, with every weight and every bias.
// WHY    This is `model.to(device)` of PyTorch, and all that users see of a
//        GPU during training. Copying the values is the easy part: each
//        parameter on the device must also be a leaf that keeps its gradient.
// READ   Modules and training anywhere
// CHECK  cargo learn check module_to

use rungrad::Error;
use rungrad::nn::Linear;
use rungrad::part3_unified::{Device, Tensor};

/// Moves the parameters of all layers.
pub fn to(layers: &mut [Linear], device: Device) -> Result<(), Error> {
    // A layer has a `weight` and a `bias`. `t.to(device)?` is the same
    // tensor on the device, the result of a recorded operation.
    todo!("TODO(module_to): replace each parameter by a new leaf")
}
