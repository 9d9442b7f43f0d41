// The right numbers, in a tensor that does not know where they came from.

use rungrad::part1_cpu::Tensor;

/// Computes `(a * b) * b`, one operation after the other.
pub fn forward(a: &Tensor, b: &Tensor) -> Tensor {
    let pairs = a.to_vec().into_iter().zip(b.to_vec());
    let values: Vec<f32> = pairs.map(|(a, b)| (a * b) * b).collect();
    Tensor::new(a.shape(), &values)
}
