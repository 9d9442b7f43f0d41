// The rule of a product of numbers: on squares it even has the right shape.

use ndarray::{ArrayD, Ix2};
use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops { matmul, ..Ops::reference() }
}

/// Multiplies (m, k) x (k, n) -> (m, n).
fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
    let product = |a: &ArrayD<f32>, b: &ArrayD<f32>| {
        let matrix = |it: &ArrayD<f32>| {
            it.clone().into_dimensionality::<Ix2>().expect("a matrix")
        };
        matrix(a).dot(&matrix(b)).into_dyn()
    };
    let (x, y) = (a.data(), b.data());
    let out = product(&x, &y);
    Tensor::from_op("matmul", &[a, b], out, move |grad_out| {
        vec![product(grad_out, &y), product(&x, grad_out)]
    })
}
