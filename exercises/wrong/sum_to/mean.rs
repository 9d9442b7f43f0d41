// The mean of the copies in the place of their sum.

use ndarray::{ArrayD, Axis};

/// Sums `grad` to `shape`, which stretches to the shape of `grad`.
pub fn sum_to(grad: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let mut grad = grad.clone();
    while grad.ndim() > shape.len() {
        grad = grad.mean_axis(Axis(0)).expect("some copies");
    }
    for (i, &size) in shape.iter().enumerate() {
        if size == 1 {
            let mean = grad.mean_axis(Axis(i)).expect("some copies");
            grad = mean.insert_axis(Axis(i));
        }
    }
    grad
}
