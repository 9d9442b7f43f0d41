// The sweep is right, and everything in the middle is kept besides: as much
// memory again as the whole graph.

use std::collections::HashMap;

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// Gradients by the id of the tensor that they belong to.
type Gradients = HashMap<u64, ArrayD<f32>>;

/// Brings one more gradient to a tensor.
fn bring(map: &mut Gradients, id: u64, grad: ArrayD<f32>) {
    match map.get_mut(&id) {
        Some(sum) => *sum += &grad,
        None => {
            map.insert(id, grad);
        }
    }
}

/// Brings the gradient of `root` to every leaf, and adds it to `kept`.
pub fn sweep(root: &Tensor, kept: &mut Gradients) {
    let ones = ArrayD::ones(root.shape());
    let mut waiting = Gradients::from([(root.id(), ones)]);
    for tensor in root.graph().into_iter().rev() {
        let Some(grad_out) = waiting.remove(&tensor.id()) else {
            continue;
        };
        bring(kept, tensor.id(), grad_out.clone());
        let grads = tensor.apply_rule(&grad_out).unwrap_or_default();
        for (parent, grad) in tensor.parents().iter().zip(grads) {
            bring(&mut waiting, parent.id(), grad);
        }
    }
}
