// The numbers are fetched, multiplied by the processor and sent back.

use rungrad::Error;
use rungrad::part2_gpu::Tensor;

/// Multiplies element by element, into a leaf.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let (x, y) = (a.to_vec()?, b.to_vec()?);
    let values: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
    Tensor::new(a.gpu(), a.shape(), &values)
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
