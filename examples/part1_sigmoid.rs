//! The logistic function, first as textbooks write it, then without a large
//! exponential.

use std::process::ExitCode;

use rungrad::part1_cpu::Tensor;
use rungrad::shape::list;

// ANCHOR: part1-sigmoid
/// `e^x / (1 + e^x)`, composed from operations that are each correct.
fn plain(x: &Tensor) -> Tensor {
    let e = x.exp();
    &e / (1.0 + &e)
}

fn main() -> ExitCode {
    rungrad::run(|| {
        show("e^x / (1 + e^x)", plain);
        show("sigmoid", Tensor::sigmoid);
        Ok(())
    })
}

fn show(title: &str, sigmoid: fn(&Tensor) -> Tensor) {
    let x = Tensor::new(&[3], &[-100.0, 0.0, 100.0]);
    let y = sigmoid(&x);
    y.sum().backward();
    let grad: Vec<f32> = x.grad().into_iter().flatten().collect();
    println!("{title}");
    println!("  at        {}", list(&x.to_vec()));
    println!("  value     {}", list(&y.to_vec()));
    println!("  gradient  {}", list(&grad));
}
// ANCHOR_END: part1-sigmoid
