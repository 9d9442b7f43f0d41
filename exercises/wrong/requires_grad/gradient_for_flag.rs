// Asks for a gradient where the flag is meant; no leaf has one yet.

use rungrad::part2_gpu::Tensor;

/// Tells whether the result of an operation on these operands requires a
/// gradient.
pub fn is_recorded(operands: &[&Tensor]) -> bool {
    operands.iter().any(|operand| operand.grad().is_some())
}

/// Lists what the result of an operation on these operands keeps as its
/// parents, when it is recorded and when it is not.
pub fn parents(operands: &[&Tensor]) -> Vec<Tensor> {
    match is_recorded(operands) {
        true => operands.iter().map(|&operand| operand.clone()).collect(),
        false => Vec::new(),
    }
}

/// Computes the gradients of `a * b`: for each operand its own, or None where
/// nobody asks for it. `mul` of two tensors is a launch.
pub fn mul_rule(
    grad_out: &Tensor,
    a: &Tensor,
    b: &Tensor,
) -> Vec<Option<Tensor>> {
    vec![
        a.records().then(|| grad_out.mul(&b.detach())),
        b.records().then(|| grad_out.mul(&a.detach())),
    ]
}
