//! Shapes that broadcast, and gradients that are summed back.

use std::process::ExitCode;

use ndarray::{ArrayD, IxDyn};
use rungrad::part1_cpu::Tensor;
use rungrad::shape::list;

// ANCHOR: part1-stretch
fn main() -> ExitCode {
    rungrad::run(|| {
        let column = Tensor::new(&[2, 1], &[1.0, 2.0]);
        let row = Tensor::new(&[1, 3], &[10.0, 20.0, 30.0]);
        multiply(&column, &row);

        let matrix = Tensor::new(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        multiply(&matrix, &Tensor::new(&[], &[10.0]));
        multiply(&Tensor::new(&[0, 3], &[]), &Tensor::new(&[1], &[10.0]));
        Ok(())
    })
}

/// Multiplies and passes back the upstream gradient 1, 2, 3, ..., so that no
/// two copies of an element receive the same value.
fn multiply(a: &Tensor, b: &Tensor) {
    let c = a * b;
    let count = c.to_vec().len();
    let numbers = (1..=count).map(|i| i as f32).collect();
    let grad_out = ArrayD::from_shape_vec(IxDyn(c.shape()), numbers);
    c.backward_with(&grad_out.expect("one number for each element"));
    println!("{:?} * {:?} = {:?}", a.shape(), b.shape(), c.shape());
    for (name, operand) in [("a", a), ("b", b)] {
        let grad = operand.grad().expect("a leaf keeps its gradient");
        let values: Vec<f32> = grad.iter().copied().collect();
        println!("  grad_{name} {:?}: {}", grad.shape(), list(&values));
    }
}
// ANCHOR_END: part1-stretch
