// The softmax is a quotient of exponentials, of scores as they are.

use rungrad::part3_unified::Tensor;

/// Computes what each query takes in: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    let (rows, places) = (queries.shape()[0], keys.shape()[0]);
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    let weights = scores.exp().tril((places - rows) as isize);
    let total = weights.sum_over(&[1], rungrad::ops::Keep::Yes);
    (weights / total).matmul(values)
}
