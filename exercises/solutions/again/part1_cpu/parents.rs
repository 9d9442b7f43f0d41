// parents, again: operands and gradients in one order.
//
// WHAT   `sub` computes `a - b` and hands it to `from_op`. Its rule gives the
//        gradient of `b` first, and then that of `a`. The operands are missing.
// READ   A tensor that remembers
// CHECK  cargo learn again parents

use rungrad::part1_cpu::Tensor;

/// Subtracts two equal shapes element by element.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    // HOLE
    //| let operands: Vec<&Tensor> = todo!("TODO(parents): vec![..]");
    let operands = vec![b, a];
    // END HOLE
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![-grad_out, grad_out.clone()]
    })
}
