// The rule holds the operands, and with them the graph.

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    let (x, y) = (a.clone(), b.clone());
    Tensor::from_op("mul", &[a, b], &*a.data() * &*b.data(), move |grad_out| {
        vec![grad_out * &*y.data(), grad_out * &*x.data()]
    })
}
