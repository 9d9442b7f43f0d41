// The engine's operation in another coat.

use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// Computes the positive part.
fn relu(a: &Tensor) -> Tensor {
    a.relu()
}
