// Copies of the operands: equal numbers, and nobody that anyone knows.

use rungrad::part1_cpu::Tensor;

/// Subtracts two equal shapes element by element.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let copy = |t: &Tensor| Tensor::new(t.shape(), &t.to_vec());
    let (first, second) = (copy(a), copy(b));
    let operands: Vec<&Tensor> = vec![&first, &second];
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![grad_out.clone(), -grad_out]
    })
}
