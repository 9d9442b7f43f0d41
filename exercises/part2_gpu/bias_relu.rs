// bias_relu: one launch where there were two.
//
// WHAT   `x` is a matrix (rows, columns), and `bias` has a number for each
//        column. Add it to each row and keep what is above 0, in one kernel and
//        one launch.
// WHY    `x.add(&bias).relu()` takes two launches, and between them the sum
//        goes to memory and comes back. An item that has a sum in its hands can
//        finish it before it writes.
// READ   Train on your kernels
// CHECK  cargo learn check bias_relu

use rungrad::Error;
use rungrad::part2_gpu::Tensor;

/// Launches the kernel of this name, an item for each element of its result, in
/// groups of 256. The kernel gets these tensors to read, the memory of its
/// result, and these numbers, each a `uint`; the result has this shape.
pub type Launch<'a> =
    dyn Fn(&str, &[&Tensor], &[usize], &[usize]) -> Result<Tensor, Error> + 'a;

/// Returns the text of the kernel `bias_relu(x, bias, out, n, columns)`: three
/// arrays in global memory, and two numbers, each a `uint`: of the elements of
/// `x`, and of those of `bias`.
pub fn text() -> &'static str {
    // It begins with `kernel void bias_relu(`.
    todo!("TODO(bias_relu): an item adds, compares with 0, and writes")
}

/// Computes relu(x + bias), by launches of kernels of that text.
pub fn bias_relu(
    x: &Tensor,
    bias: &Tensor,
    launch: &Launch<'_>,
) -> Result<Tensor, Error> {
    // `launch("bias_relu", &[..], x.shape(), &[..])`
    todo!("TODO(bias_relu): launch it, once")
}
