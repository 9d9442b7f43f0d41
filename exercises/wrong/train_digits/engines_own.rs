// The engine's operation in another coat.

use rungrad::part1_cpu::Tensor;

use super::Ops;

/// The operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// The positive part.
fn relu(a: &Tensor) -> Tensor {
    a.relu()
}
