// seed_and_zero: gradients that are only yours.
//
// WHAT   An output of many elements has no slope of its own, so the caller
//        says how much each element counts: that is the seed. Return the
//        gradients for that seed, whatever earlier sweeps have left in the
//        leaves; a leaf that the output does not use gets zeros.
// WHY    Gradients add up from call to call. A step of training that forgets
//        to start anew steps with the gradients of all steps before.
// READ   One sweep
// CHECK  cargo learn check seed_and_zero

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// Finds the gradient of each leaf, for this seed and nothing else.
pub fn gradients(
    output: &Tensor,
    seed: &ArrayD<f32>,
    leaves: &[&Tensor],
) -> Vec<ArrayD<f32>> {
    // HOLE
    //| // `leaf.zero_grad()` forgets, `output.backward_with(seed)` sweeps, and
    //| // `leaf.grad()` is None where nothing arrived.
    //| todo!("TODO(seed_and_zero): forget, sweep, collect")
    for leaf in leaves {
        leaf.zero_grad();
    }
    output.backward_with(seed);
    let zeros = |leaf: &Tensor| ArrayD::zeros(leaf.shape());
    let found = |leaf: &&Tensor| leaf.grad().unwrap_or(zeros(leaf));
    leaves.iter().map(found).collect()
    // END HOLE
}
