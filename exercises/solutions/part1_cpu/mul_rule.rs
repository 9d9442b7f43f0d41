// mul_rule: the local rule of a product.
//
// WHAT   `mul` computes a product and hands `from_op` a rule. The rule gets
//        `grad_out`, how fast the loss changes with each element of the
//        product, and returns how fast it changes with each element of `a`
//        and of `b`.
// WHY    A rule knows its own operation and nothing of the rest of the graph.
//        Chains of such rules are all that backward is.
// READ   Backward by hand
// CHECK  cargo learn check mul_rule

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    // Arrays, not tensors: a rule that held tensors would own the graph.
    let (x, y) = (a.data(), b.data());
    Tensor::from_op("mul", &[a, b], &*x * &*y, move |grad_out| {
        // HOLE
        //| // Return one array for each operand, in operand order. Arrays
        //| // multiply elementwise: `grad_out * &*x` is an array.
        //| todo!("TODO(mul_rule): vec![grad_a, grad_b]")
        vec![grad_out * &*y, grad_out * &*x]
        // END HOLE
    })
}
