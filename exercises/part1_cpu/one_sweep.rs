// one_sweep: from the result back to the leaves.
//
// WHAT   The loop over the graph is given: it begins at `root`, and children
//        come before parents. Write what happens at one tensor, and how to add
//        a gradient to a tensor that may already have one.
// WHY    A tensor that is used twice receives two gradients, and its gradient
//        is their sum. Gradients of inner tensors are kept in a map for this
//        call only; if they were kept longer, the next call would pass them on
//        again.
// READ   One backward pass
// CHECK  cargo learn check one_sweep

use std::collections::HashMap;

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// Gradients, by the id of their tensor.
type Gradients = HashMap<u64, ArrayD<f32>>;

/// Adds a gradient to the entry of a tensor.
fn bring(map: &mut Gradients, id: u64, grad: ArrayD<f32>) {
    todo!("TODO(one_sweep): insert the first gradient, add the others")
}

/// Computes the gradient of `root` for every leaf, and adds it to `kept`.
pub fn sweep(root: &Tensor, kept: &mut Gradients) {
    let ones = ArrayD::ones(root.shape());
    let mut waiting = Gradients::from([(root.id(), ones)]);
    for tensor in root.graph().into_iter().rev() {
        let Some(grad_out) = waiting.remove(&tensor.id()) else {
            continue;
        };
        // `tensor.apply_rule(&grad_out)` is `None` for a leaf, and
        // otherwise one gradient per element of `tensor.parents()`. Which
        // gradients go to `kept`, and which to `waiting`?
        todo!("TODO(one_sweep): add each gradient to the right map")
    }
}
