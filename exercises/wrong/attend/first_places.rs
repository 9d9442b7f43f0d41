// The queries are taken for those of the first places.

use rungrad::part3_unified::Tensor;

/// Computes what each query takes in: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    let hidden = scores.full_like(-1e30).triu(1);
    (scores + hidden).softmax().matmul(values)
}
