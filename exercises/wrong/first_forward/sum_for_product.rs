// A sum in the place of the second product.

use rungrad::part1_cpu::Tensor;

/// Computes `(a * b) * b`, one operation after the other.
pub fn forward(a: &Tensor, b: &Tensor) -> Tensor {
    let c = a.mul(b);
    c.add(b)
}
