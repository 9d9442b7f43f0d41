// find_the_wait: a training loop that waits in every step.
//
// WHAT   `epoch` trains correctly, but it is slow on a device. A trace shows
//        why. Change it so that the whole epoch waits once or twice, however
//        many batches there are, and computes the same weights and the same
//        report.
// WHY    A read waits for everything that was enqueued before it. While the
//        host waits, it enqueues nothing, so afterward the device waits for
//        the host. For 12 batches the ledger currently counts 24 waits.
// MIND   A loss that is kept keeps its whole graph alive, unless it is
//        detached.
// READ   How fast, and why
// CHECK  cargo learn check find_the_wait

use rungrad::Error;
use rungrad::nn::{Module, Parameters, Sequential};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};

/// The results of an epoch: the mean and the minimum of its batches' losses.
pub struct Report {
    pub mean: f32,
    pub least: f32,
}

/// Takes a step for each batch of inputs and labels, which are on `device`,
/// like the network.
pub fn epoch(
    network: &mut Sequential,
    sgd: &mut Sgd,
    batches: &[(Tensor, Vec<usize>)],
    device: Device,
) -> Result<Report, Error> {
    let mut mean = 0.0;
    let mut least = f32::INFINITY;
    for (inputs, labels) in batches {
        let loss = network.forward(inputs).cross_entropy(labels);
        loss.backward();
        sgd.step(network.parameters_mut());
        device.synchronize()?;
        let loss = loss.to_vec()?[0];
        mean += loss / batches.len() as f32;
        least = least.min(loss);
    }
    // `loss.detach()` is the value without its graph, still on the device,
    // and `Tensor::stack(&[&a, &b], 0)` joins tensors there. The results
    // are already right. Remove the next line when the loop does not wait
    // anymore.
    todo!("TODO(find_the_wait): let the loop run ahead of the device");
    Ok(Report { mean, least })
}
