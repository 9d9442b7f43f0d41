// sum_to: the gradient of broadcasting.
//
// WHAT   A row of shape [4] was broadcast to a matrix of shape [3, 4], so each
//        of its elements was used three times. The gradient arrives with the
//        shape of the matrix, and must be returned with the shape of the row.
// WHY    An element that was used in several positions affects all of them, so
//        its gradient is the sum of their gradients.
// READ   Shapes that stretch
// CHECK  cargo learn check sum_to

use ndarray::{ArrayD, Axis};

/// Sums `grad` to `shape`, which broadcasts to the shape of `grad`.
pub fn sum_to(grad: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let mut grad = grad.clone();
    // `grad.ndim()` is the number of axes, `grad.sum_axis(Axis(i))` sums
    // over axis i and removes it, and `.insert_axis(Axis(i))` inserts an
    // axis of size 1.
    todo!("TODO(sum_to): first the extra axes, then the axes of size 1")
}
