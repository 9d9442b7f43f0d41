// It is the engine's own.

use rungrad::part3_unified::Tensor;

/// Computes what each query takes in: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    queries.causal_attention(keys, values)
}
