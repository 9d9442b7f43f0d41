// parents, again: operands and gradients in the same order.
//
// WHAT   `sub` computes `a - b` and calls `from_op`. Its backward rule returns
//        the gradient of `b` first, and then the gradient of `a`. Only the
//        list of operands is missing.
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
