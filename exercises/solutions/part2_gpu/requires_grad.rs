// requires_grad: who is recorded, and what for.
//
// WHAT   Three decisions of an engine: whether the result of an operation is
//        recorded, which operands it keeps as its parents, and which
//        gradients the rule of a product computes.
// WHY    The memory of a device is small, and a launch takes time. What
//        nobody asks for must not be kept and not be computed; and a gradient
//        that is recorded itself holds on to what it was computed from.
//        Mind the names: `t.records()` asks a tensor for its flag, and
//        `t.requires_grad()` makes a leaf that has it.
// READ   Gradients that are not recorded
// CHECK  cargo learn check requires_grad

use rungrad::part2_gpu::Tensor;

/// Tells whether the result of an operation on these operands requires a
/// gradient.
pub fn is_recorded(operands: &[&Tensor]) -> bool {
    // HOLE
    //| todo!("TODO(requires_grad): when is the result recorded?")
    operands.iter().any(|operand| operand.records())
    // END HOLE
}

/// Lists what the result of an operation on these operands keeps as its
/// parents, when it is recorded and when it is not.
pub fn parents(operands: &[&Tensor]) -> Vec<Tensor> {
    // HOLE
    //| todo!("TODO(requires_grad): what does the result keep?")
    match is_recorded(operands) {
        true => operands.iter().map(|&operand| operand.clone()).collect(),
        false => Vec::new(),
    }
    // END HOLE
}

/// Computes the gradients of `a * b`: for each operand its own, or None where
/// nobody asks for it. `mul` of two tensors is a launch.
pub fn mul_rule(
    grad_out: &Tensor,
    a: &Tensor,
    b: &Tensor,
) -> Vec<Option<Tensor>> {
    // HOLE
    //| todo!("TODO(requires_grad): vec![grad_a, grad_b]")
    vec![
        a.records().then(|| grad_out.mul(&b.detach())),
        b.records().then(|| grad_out.mul(&a.detach())),
    ]
    // END HOLE
}
