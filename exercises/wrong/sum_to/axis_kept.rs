// An axis that was missing stays behind with size 1.

use ndarray::{ArrayD, Axis};

/// Sums `grad` to `shape`, which stretches to the shape of `grad`.
pub fn sum_to(grad: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let mut grad = grad.clone();
    let missing = grad.ndim() - shape.len();
    for i in 0..grad.ndim() {
        if i < missing || shape[i - missing] == 1 {
            grad = grad.sum_axis(Axis(i)).insert_axis(Axis(i));
        }
    }
    grad
}
