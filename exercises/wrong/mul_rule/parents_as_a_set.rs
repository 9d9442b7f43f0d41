// Parents as a set, as the notebook keeps them: x * x has x once, and half of
// its gradient is lost.

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    let (x, y) = (a.data(), b.data());
    let product = &*x * &*y;
    if a.id() == b.id() {
        return Tensor::from_op("mul", &[a], product, move |grad_out| {
            vec![grad_out * &*y]
        });
    }
    Tensor::from_op("mul", &[a, b], product, move |grad_out| {
        vec![grad_out * &*y, grad_out * &*x]
    })
}
