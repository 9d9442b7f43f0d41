// The engine sweeps, and its gradients are handed on.

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
    root.backward_with(&ones);
    for leaf in root.graph() {
        if let Some(grad) = leaf.grad() {
            leaf.zero_grad();
            bring(kept, leaf.id(), grad);
        }
    }
}
