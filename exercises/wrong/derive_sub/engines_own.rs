// The engine has all three.

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    -a
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    a - b
}

/// Subtracts from a number: `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    number - a
}
