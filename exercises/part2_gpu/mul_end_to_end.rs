// mul_end_to_end: multiplication, from the launch to the graph.
//
// WHAT   First the forward pass: memory for the result, a launch of the kernel
//        `ew_mul`, and a tensor that owns the result. Then the backward rule,
//        and a result that is recorded with it.
// WHY    All operations of Part 2 consist of these pieces. The data never
//        leaves the device, nothing is computed unless it is needed, and the
//        rule captures data instead of the graph.
// READ   Gradients that are not recorded
// CHECK  cargo learn check mul_end_to_end

use rungrad::Error;
use rungrad::part2_gpu::Tensor;
use rungrad::part2_gpu::kernels;

/// Work-items per group.
const GROUP: usize = 256;

/// Multiplies two equal shapes element by element and returns a leaf that
/// requires no gradient. The kernel is `ew_mul(a, b, out, n)`.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let (gpu, n) = (a.gpu(), a.len());
    // Use `gpu.allocate(..)?`, `gpu.launch(&kernels::EW_MUL)` with two
    // `.input(..)`, one `.output(..)`, one `.scalar(..)` and its sizes,
    // `.run()?`, and `Tensor::from_buffer(shape, buffer)`.
    todo!("TODO(mul_end_to_end): launch the kernel")
}

/// Multiplies two tensors; the product is recorded if an operand requires a
/// gradient.
pub fn mul(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let result = product(a, b)?;
    // `Tensor::from_op("mul", &[a, b], result, move |grad_out| ..)`; the
    // rule returns `vec![grad_a, grad_b]`, with `None` for a gradient that
    // is not needed.
    todo!("TODO(mul_end_to_end): the rule, and whether to record")
}
