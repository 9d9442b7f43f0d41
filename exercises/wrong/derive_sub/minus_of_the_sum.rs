// The minus of the whole sum.

use rungrad::part1_cpu::Tensor;

/// `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    a * -1.0
}

/// `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    neg(&(a + b))
}

/// `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    neg(a) + number
}
