// The minus of the whole sum.

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    a * -1.0
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    neg(&(a + b))
}

/// Subtracts from a number: `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    neg(a) + number
}
