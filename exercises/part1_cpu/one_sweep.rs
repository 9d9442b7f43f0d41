// one_sweep: from the result back to the leaves.
//
// WHAT   The walk is there: from `root` on, children before parents. You
//        write what happens at one tensor, and how one more gradient comes
//        to a tensor that may have some already.
// WHY    A tensor that is used twice gets two gradients, and the slope is
//        their sum. What is on its way waits in a map of this call only: what
//        survived it would be passed on a second time by the next.
// READ   One sweep
// CHECK  cargo learn check one_sweep

use std::collections::HashMap;

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// Gradients by the id of the tensor that they belong to.
type Gradients = HashMap<u64, ArrayD<f32>>;

/// Brings one more gradient to a tensor.
fn bring(map: &mut Gradients, id: u64, grad: ArrayD<f32>) {
    todo!("TODO(one_sweep): the first is put in, the others are added")
}

/// Brings the gradient of `root` to every leaf, and adds it to `kept`.
pub fn sweep(root: &Tensor, kept: &mut Gradients) {
    let ones = ArrayD::ones(root.shape());
    let mut waiting = Gradients::from([(root.id(), ones)]);
    for tensor in root.graph().into_iter().rev() {
        let Some(grad_out) = waiting.remove(&tensor.id()) else {
            continue;
        };
        // `tensor.apply_rule(&grad_out)` is None for a leaf, and otherwise
        // one gradient for each of `tensor.parents()`. Which of them go
        // to `kept`, and which to `waiting`?
        todo!("TODO(one_sweep): bring each gradient to its place")
    }
}
