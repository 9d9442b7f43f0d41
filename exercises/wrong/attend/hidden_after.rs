// What is hidden is set to 0 behind the softmax.

use rungrad::part3_unified::Tensor;

/// Computes what each query takes in: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    let (rows, places) = (queries.shape()[0], keys.shape()[0]);
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    let shares = scores.softmax().tril((places - rows) as isize);
    shares.matmul(values)
}
