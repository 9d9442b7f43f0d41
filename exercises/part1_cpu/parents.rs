// parents: a result remembers its operands.
//
// WHAT   `sub` computes `a - b` and calls `from_op` with a name, the operands,
//        and a backward rule, which "Backward by hand" explains. Only the list
//        of operands is missing.
// WHY    A graph consists of tensors that know their operands. The rule
//        returns its gradients in operand order.
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
