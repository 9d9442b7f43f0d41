// mul_rule: the local rule of a product.
//
// WHAT   `mul` computes a product and passes a backward rule to `from_op`. The
//        rule receives `grad_out`, the derivative of the loss with respect to
//        each element of the product, and returns the derivatives with respect
//        to the elements of `a` and of `b`.
// WHY    A rule knows its own operation and nothing about the rest of the
//        graph. Backward is nothing more than a chain of such rules.
// READ   Backward by hand
// CHECK  cargo learn check mul_rule

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    // Capture arrays: a rule that captured tensors would own the graph.
    let (x, y) = (a.data(), b.data());
    Tensor::from_op("mul", &[a, b], &*x * &*y, move |grad_out| {
        // Return one array per operand, in operand order. Arrays multiply
        // elementwise: `grad_out * &*x` is an array.
        todo!("TODO(mul_rule): vec![grad_a, grad_b]")
    })
}
