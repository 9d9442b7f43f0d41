//! My notes on this exercise.

#![allow(dead_code)]

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
    // HOLE
    while grad.ndim() > shape.len() {
        grad = grad.sum_axis(Axis(0));
    }
    for (i, &size) in shape.iter().enumerate() {
        if size == 1 {
            grad = grad.sum_axis(Axis(i)).insert_axis(Axis(i));
        }
    }
    grad
    // END HOLE
}
