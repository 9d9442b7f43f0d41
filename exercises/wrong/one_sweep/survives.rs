// One map for everything, as in the notebook: what was on its way is still
// there when the next call comes.

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
    kept.insert(root.id(), ArrayD::ones(root.shape()));
    for tensor in root.graph().into_iter().rev() {
        let grad_out = kept[&tensor.id()].clone();
        let grads = tensor.apply_rule(&grad_out).unwrap_or_default();
        for (parent, grad) in tensor.parents().iter().zip(grads) {
            bring(kept, parent.id(), grad);
        }
    }
}
