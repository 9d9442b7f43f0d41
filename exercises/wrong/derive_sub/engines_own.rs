// The engine has all three.

use rungrad::part1_cpu::Tensor;

/// `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    -a
}

/// `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    a - b
}

/// `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    number - a
}
