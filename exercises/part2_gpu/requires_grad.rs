// requires_grad: what is recorded, and which gradients are computed.
//
// WHAT   Write three decisions of an engine: whether the result of an
//        operation is recorded, which operands it keeps as its parents, and
//        which gradients the rule of a multiplication computes.
// WHY    A device has little memory, and a launch takes time. So nothing
//        should be kept or computed unless it is needed, and a recorded
//        gradient keeps everything alive that it was computed from. Do not
//        confuse the names: `t.records()` returns a tensor's flag, and
//        `t.requires_grad()` makes a leaf with the flag set.
// READ   Gradients that are not recorded
// CHECK  cargo learn check requires_grad

use rungrad::part2_gpu::Tensor;

/// Returns whether the result of an operation on these operands requires a
/// gradient.
pub fn is_recorded(operands: &[&Tensor]) -> bool {
    todo!("TODO(requires_grad): when is the result recorded?")
}

/// Returns what the result of an operation on these operands keeps as its
/// parents, whether it is recorded or not.
pub fn parents(operands: &[&Tensor]) -> Vec<Tensor> {
    todo!("TODO(requires_grad): what does the result keep?")
}

/// Returns the gradients of `a * b`, one per operand, or `None` if that
/// operand needs none. `mul` of two tensors takes a launch.
pub fn mul_rule(
    grad_out: &Tensor,
    a: &Tensor,
    b: &Tensor,
) -> Vec<Option<Tensor>> {
    todo!("TODO(requires_grad): vec![grad_a, grad_b]")
}
