// Every item reads, including those that have no element.

use rungrad::Error;
use rungrad::part2_gpu::Tensor;

/// Launches the kernel of this name, an item for each element of its result, in
/// groups of 256. The kernel gets these tensors to read, the memory of its
/// result, and these numbers; the result has this shape.
pub type Launch<'a> =
    dyn Fn(&str, &[&Tensor], &[usize], &[usize]) -> Result<Tensor, Error> + 'a;

/// Returns the text of the kernel `bias_relu(x, bias, out, n, columns)`: three
/// arrays in global memory, the number of elements of `x`, and that of `bias`.
pub fn text() -> &'static str {
    "kernel void bias_relu(global const float *x, global const float *bias,
                           global float *out, uint n, uint columns)
     {
         uint i = get_global_id(0);
         float sum = x[i] + bias[i % columns];
         if (i < n)
             out[i] = sum <= 0.0f ? 0.0f : sum;
     }"
}

/// Computes relu(x + bias), by launches of kernels of that text.
pub fn bias_relu(
    x: &Tensor,
    bias: &Tensor,
    launch: &Launch<'_>,
) -> Result<Tensor, Error> {
    launch("bias_relu", &[x, bias], x.shape(), &[x.len(), bias.len()])
}
