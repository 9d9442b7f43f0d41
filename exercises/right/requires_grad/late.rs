// Drops the graph of the gradient as soon as the gradient is computed.

use rungrad::part2_gpu::Tensor;

/// Returns whether the result of an operation on these operands requires a
/// gradient.
pub fn is_recorded(operands: &[&Tensor]) -> bool {
    operands.iter().any(|operand| operand.records())
}

/// Returns what the result of an operation on these operands keeps as its
/// parents, whether it is recorded or not.
pub fn parents(operands: &[&Tensor]) -> Vec<Tensor> {
    match is_recorded(operands) {
        true => operands.iter().map(|&operand| operand.clone()).collect(),
        false => Vec::new(),
    }
}

/// Returns the gradients of `a * b`, one per operand, or `None` if that
/// operand needs none. `mul` of two tensors takes a launch.
pub fn mul_rule(
    grad_out: &Tensor,
    a: &Tensor,
    b: &Tensor,
) -> Vec<Option<Tensor>> {
    vec![
        a.records().then(|| grad_out.mul(b).detach()),
        b.records().then(|| grad_out.mul(a).detach()),
    ]
}
