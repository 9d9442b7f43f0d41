// The right gradients in the wrong order.

use ndarray::Array2;

/// Computes the gradients of `a` and of `b`, from that of their matrix
/// product.
pub fn matmul_rule(
    a: &Array2<f32>,
    b: &Array2<f32>,
    grad_out: &Array2<f32>,
) -> [Array2<f32>; 2] {
    [a.t().dot(grad_out), grad_out.dot(&b.t())]
}
