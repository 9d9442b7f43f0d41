// Prints without an end.

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, b: &Tensor) -> Tensor {
    loop {
        println!("{:?} times {:?}", a.to_vec(), b.to_vec());
    }
}
