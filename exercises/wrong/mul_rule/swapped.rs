// Each operand gets its own values: the first guess of many.

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    let (x, y) = (a.data(), b.data());
    Tensor::from_op("mul", &[a, b], &*x * &*y, move |grad_out| {
        vec![grad_out * &*x, grad_out * &*y]
    })
}
