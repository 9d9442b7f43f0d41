// hessian_times: a Hessian-vector product.
//
// WHAT   `f` computes a single number from `x`. Return the directional
//        derivative of its gradient along `v`: for each element of `x`, how
//        fast its partial derivative changes when `x` moves in the direction
//        of `v`. This is the matrix of second derivatives (the Hessian) times
//        `v`, with the shape of `x`.
// WHY    For a million parameters the Hessian has 10^12 elements. Its product
//        with a vector costs only two backward passes, and second-order
//        optimizers need no more than that.
// READ   Gradients through views and devices
// CHECK  cargo learn check hessian_times

use rungrad::part3_unified::{Tensor, grad};

/// Returns the Hessian of `f` at `x` times `v`. `x` requires a gradient, and
/// `v` does not.
pub fn hessian_times(
    f: &dyn Fn(&Tensor) -> Tensor,
    x: &Tensor,
    v: &Tensor,
) -> Tensor {
    // `grad(&[&y], &[x], create_graph)` returns the gradient of y with
    // respect to each of the given tensors.
    todo!("TODO(hessian_times): two backward passes")
}
