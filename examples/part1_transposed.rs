//! A matmul whose backward rule multiplies in the wrong order, and what the
//! gradient check reports.

use std::process::ExitCode;

use ndarray::{ArrayD, ArrayView2};
use rungrad::attempt;
use rungrad::part1_cpu::Tensor;
use rungrad::tape::Blame;

// ANCHOR: part1-transposed
/// The engine's `matmul`, except that `grad_a` is `b grad_out^T`.
fn product(a: &Tensor, b: &Tensor) -> Tensor {
    let (x, y) = (a.data(), b.data());
    let out = matrix(&x).dot(&matrix(&y)).into_dyn();
    Tensor::from_op("matmul", &[a, b], out, move |grad_out| {
        let grad_out = matrix(grad_out);
        let grad_a = matrix(&y).dot(&grad_out.t());
        let grad_b = matrix(&x).t().dot(&grad_out);
        vec![grad_a.into_dyn(), grad_b.into_dyn()]
    })
}

fn main() -> ExitCode {
    rungrad::run(|| {
        println!("2 x 3 times 3 x 2:");
        try_product(&[2, 3], &[3, 2]);
        println!("\n2 x 2 times 2 x 2:");
        try_product(&[2, 2], &[2, 2]);
        Ok(())
    })
}
// ANCHOR_END: part1-transposed

fn try_product(a: &[usize], b: &[usize]) {
    let c = product(&counted(1, a), &counted(5, b));
    let loss = (&c * counted(1, c.shape())).sum();
    match attempt(|| loss.backward_recorded()) {
        Err(error) => println!("{}", error.to_string().replace("; ", ";\n")),
        Ok(tape) => match tape.blame() {
            None => println!("every rule agrees"),
            Some(Blame::Rule { at, operand, mismatch }) => println!(
                "{}, the gradient of operand {operand}\n{mismatch}",
                tape.records[at].op
            ),
            Some(Blame::Sum { mismatch, .. }) => println!("{mismatch}"),
        },
    }
}

/// Returns a tensor of consecutive numbers, beginning with `first`.
fn counted(first: u8, shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    let values = (0..count).map(|i: usize| f32::from(first) + i as f32);
    Tensor::new(shape, &values.collect::<Vec<f32>>())
}

fn matrix(a: &ArrayD<f32>) -> ArrayView2<'_, f32> {
    a.view().into_dimensionality().expect("a matrix")
}
