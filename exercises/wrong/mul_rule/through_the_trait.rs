// The engine's product under the name of its trait.

use std::ops::Mul;

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    Mul::mul(a, b)
}
