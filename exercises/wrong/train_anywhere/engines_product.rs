// The engine's operation in another coat.

use rungrad::part3_unified::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { matmul, ..Ops::reference() }
}

/// Multiplies (m, k) x (k, n) -> (m, n).
fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
    a.matmul(b)
}
