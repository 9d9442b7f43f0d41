// matmul_rule: the gradients of a matrix product.
//
// WHAT   `a` is (m, k), `b` is (k, n), and `grad_out` is (m, n), like the
//        product. Return the gradients of both operands.
// WHY    Almost all the time of a network is spent here, and the shapes
//        allow hardly any other answer.
// READ   Matmul and softmax
// CHECK  cargo learn check matmul_rule

use ndarray::Array2;

/// Computes the gradients of `a` and of `b`, from that of their matrix
/// product.
pub fn matmul_rule(
    a: &Array2<f32>,
    b: &Array2<f32>,
    grad_out: &Array2<f32>,
) -> [Array2<f32>; 2] {
    // `a.dot(b)` is the product of two matrices, `a.t()` the transposed.
    todo!("TODO(matmul_rule): [grad_a, grad_b]")
}
