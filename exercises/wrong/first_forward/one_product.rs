// The second product is forgotten.

use rungrad::part1_cpu::Tensor;

/// Computes `(a * b) * b`, one operation after the other.
pub fn forward(a: &Tensor, b: &Tensor) -> Tensor {
    a.mul(b)
}
