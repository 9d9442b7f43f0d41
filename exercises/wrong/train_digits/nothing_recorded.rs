// The right numbers in a new leaf: the loss falls for the last bias at most.

use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// Computes the positive part.
fn relu(a: &Tensor) -> Tensor {
    Tensor::from(a.data().mapv(|x| x.max(0.0)))
}
