// The engine's product has the engine's rule.

use rungrad::part1_cpu::Tensor;

/// The elementwise product of two equal shapes.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    a * b
}
