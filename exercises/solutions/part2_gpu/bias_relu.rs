// bias_relu: one launch instead of two.
//
// WHAT   `x` is a matrix (rows, columns), and `bias` has one element per
//        column. Add it to each row and apply ReLU, in one kernel and one
//        launch. A NaN stays NaN.
// WHY    `x.add(&bias).relu()` takes two launches, and the intermediate result
//        is written to memory and read again. An item can finish the
//        computation of its element before it writes.
// READ   Train on your kernels
// CHECK  cargo learn check bias_relu

use rungrad::Error;
use rungrad::part2_gpu::Tensor;

/// Launches the kernel of this name with one item per element of its result,
/// in groups of 256. The kernel's arguments are these tensors as inputs, the
/// memory of its result, and these numbers, each a `uint`. The result has the
/// given shape.
pub type Launch<'a> =
    dyn Fn(&str, &[&Tensor], &[usize], &[usize]) -> Result<Tensor, Error> + 'a;

/// Returns the source of the kernel `bias_relu(x, bias, out, n, columns)`:
/// three arrays in global memory, and two numbers of type `uint`, the lengths
/// of `x` and of `bias`.
pub fn text() -> &'static str {
    // HOLE
    //| // It begins with `kernel void bias_relu(`.
    //| todo!("TODO(bias_relu): each item adds, compares with 0, and writes")
    "kernel void bias_relu(global const float *x, global const float *bias,
                           global float *out, uint n, uint columns)
     {
         uint i = get_global_id(0);
         if (i < n) {
             float sum = x[i] + bias[i % columns];
             out[i] = sum <= 0.0f ? 0.0f : sum;
         }
     }"
    // END HOLE
}

/// Computes relu(x + bias) by launching that kernel.
pub fn bias_relu(
    x: &Tensor,
    bias: &Tensor,
    launch: &Launch<'_>,
) -> Result<Tensor, Error> {
    // HOLE
    //| // `launch("bias_relu", &[..], x.shape(), &[..])`
    //| todo!("TODO(bias_relu): launch it, once")
    launch("bias_relu", &[x, bias], x.shape(), &[x.len(), bias.len()])
    // END HOLE
}
