// sum_to: the gradient of what was stretched.
//
// WHAT   A row of shape [4] met a matrix of shape [3, 4], and each of its
//        elements was used three times. Its gradient comes in with the shape
//        of the matrix, and should leave with the shape of the row.
// WHY    An element that was used in many places moves all of them, so it
//        collects the gradients of all of them.
// READ   Shapes that stretch
// CHECK  cargo learn check sum_to

use ndarray::{ArrayD, Axis};

/// Sums `grad` to `shape`, which stretches to the shape of `grad`.
pub fn sum_to(grad: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let mut grad = grad.clone();
    // `grad.ndim()` counts the axes, `grad.sum_axis(Axis(i))` is the sum along axis i, which is gone
    // then, and `.insert_axis(Axis(i))` puts one of size 1 in its place.
    todo!("TODO(sum_to): axes too many, then axes of size 1")
}
