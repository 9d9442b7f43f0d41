// The positive part, with the rule of a copy.

use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { relu, ..Ops::reference() }
}

/// Computes the positive part.
fn relu(a: &Tensor) -> Tensor {
    let x = a.data();
    let y = x.mapv(|x| x.max(0.0));
    Tensor::from_op("relu", &[a], y, |grad_out| vec![grad_out.clone()])
}
