// parents: a result remembers its operands.
//
// WHAT   `sub` computes `a - b` and hands it to `from_op`, with a name, the
//        operands, and a rule that "Backward by hand" explains. The
//        operands are missing.
// WHY    A tensor that knows its operands is all that makes a graph. The
//        rule gives its gradients in operand order, the first to the first.
// READ   A tensor that remembers
// CHECK  cargo learn check parents

use rungrad::part1_cpu::Tensor;

/// Subtracts two equal shapes element by element.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let operands: Vec<&Tensor> = todo!("TODO(parents): vec![..]");
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![grad_out.clone(), -grad_out]
    })
}
