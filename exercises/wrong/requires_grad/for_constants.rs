// Both gradients, whoever asks: the graph is right and a launch is wasted.

use rungrad::part2_gpu::Tensor;

/// Tells whether the result of an operation on these operands requires a
/// gradient.
pub fn is_recorded(operands: &[&Tensor]) -> bool {
    operands.iter().any(|operand| operand.records())
}

/// Lists what the result of an operation on these operands keeps as its
/// parents.
pub fn parents(operands: &[&Tensor]) -> Vec<Tensor> {
    match is_recorded(operands) {
        true => operands.iter().map(|&operand| operand.clone()).collect(),
        false => Vec::new(),
    }
}

/// Computes the gradients of `a * b`.
pub fn mul_rule(
    grad_out: &Tensor,
    a: &Tensor,
    b: &Tensor,
) -> Vec<Option<Tensor>> {
    vec![Some(grad_out.mul(&b.detach())), Some(grad_out.mul(&a.detach()))]
}
