// seed_and_zero: gradients without leftovers.
//
// WHAT   A gradient is defined for a single number. If the output has several
//        elements, the caller gives each of them a weight: the seed. Return
//        the gradients for that seed, whatever gradients earlier backward
//        passes have left in the leaves. A leaf that the output does not use
//        gets zeros.
// WHY    Gradients accumulate from call to call. A training step that forgets
//        to reset them uses the gradients of all previous steps.
// READ   One backward pass
// CHECK  cargo learn check seed_and_zero

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// Returns the gradient of each leaf for this seed only.
pub fn gradients(
    output: &Tensor,
    seed: &ArrayD<f32>,
    leaves: &[&Tensor],
) -> Vec<ArrayD<f32>> {
    // `leaf.zero_grad()` resets a gradient, `output.backward_with(seed)`
    // runs backward, and `leaf.grad()` is `None` if no gradient arrived.
    todo!("TODO(seed_and_zero): reset, run backward, collect")
}
