// Only the first operand: the other one is cut off from the graph.

use rungrad::part1_cpu::Tensor;

/// The elementwise difference of two equal shapes.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let operands: Vec<&Tensor> = vec![a];
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![grad_out.clone()]
    })
}
