// Only the first operand: the other one is cut off from the graph.

use rungrad::part1_cpu::Tensor;

/// Subtracts two equal shapes element by element.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let operands: Vec<&Tensor> = vec![a];
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![grad_out.clone()]
    })
}
