// hessian_times: the slope of the slopes, in one direction.
//
// WHAT   `f` makes one number of `x`. Return, for each number of `x`, how fast
//        its slope changes when `x` moves along `v`: a tensor of the shape of
//        `x`, which is the matrix of all second slopes times `v`.
// WHY    For a million parameters that matrix has a million million numbers.
//        Its product with a vector costs two sweeps, and that is what the
//        methods ask for that step farther than a gradient can see.
// READ   Gradients through views and devices
// CHECK  cargo learn check hessian_times

use rungrad::part3_unified::{Tensor, grad};

/// Finds how fast the slopes of `f` at `x` change along `v`. `x` requires a
/// gradient, and `v` does not.
pub fn hessian_times(
    f: &dyn Fn(&Tensor) -> Tensor,
    x: &Tensor,
    v: &Tensor,
) -> Tensor {
    // `grad(&[&y], &[x], create_graph)` lists the gradient of y for each
    // of the tensors behind it.
    todo!("TODO(hessian_times): two sweeps")
}
