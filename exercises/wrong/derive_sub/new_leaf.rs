// The numbers are right, and the new tensor was given, not computed: nothing
// leads back to the operand.

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    let negative: Vec<f32> = a.to_vec().iter().map(|x| -x).collect();
    Tensor::new(a.shape(), &negative)
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    a + neg(b)
}

/// Subtracts from a number: `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    neg(a) + number
}
