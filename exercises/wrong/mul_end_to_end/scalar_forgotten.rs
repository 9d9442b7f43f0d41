// The kernel's last argument is missing.

use rungrad::Error;
use rungrad::part2_gpu::Tensor;
use rungrad::part2_gpu::kernels;

const GROUP: usize = 256;

/// Multiplies element by element, into a leaf.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let (gpu, n) = (a.gpu(), a.len());
    let out = gpu.allocate(n)?;
    gpu.launch(&kernels::EW_MUL)
        .input(a.buffer())
        .input(b.buffer())
        .output(&out)
        .global(n)
        .local(GROUP)
        .run()?;
    Ok(Tensor::from_buffer(a.shape(), out))
}

/// Multiplies two tensors; the product is recorded if an operand requires a
/// gradient.
pub fn mul(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let result = product(a, b)?;
    let needs = [a.records(), b.records()];
    let (a0, b0) = (a.detach(), b.detach());
    Ok(Tensor::from_op("mul", &[a, b], result, move |grad_out| {
        vec![
            needs[0].then(|| grad_out.mul(&b0)),
            needs[1].then(|| grad_out.mul(&a0)),
        ]
    }))
}
