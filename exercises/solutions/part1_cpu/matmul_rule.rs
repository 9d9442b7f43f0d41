// matmul_rule: the gradients of a matrix multiplication.
//
// WHAT   `a` is (m, k), `b` is (k, n), and `grad_out` is (m, n), like the
//        product. Return the gradients of both operands.
// WHY    A network spends almost all its time here, and the shapes leave
//        hardly any other answer.
// READ   Matmul
// CHECK  cargo learn check matmul_rule

use ndarray::Array2;

/// Returns the gradients of `a` and `b` from the gradient of their matrix
/// product.
pub fn matmul_rule(
    a: &Array2<f32>,
    b: &Array2<f32>,
    grad_out: &Array2<f32>,
) -> [Array2<f32>; 2] {
    // HOLE
    //| // `a.dot(b)` multiplies two matrices, `a.t()` is the transpose.
    //| todo!("TODO(matmul_rule): [grad_a, grad_b]")
    [grad_out.dot(&b.t()), a.t().dot(grad_out)]
    // END HOLE
}
