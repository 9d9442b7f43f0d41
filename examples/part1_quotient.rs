//! Division, first composed from multiplication and power, then as an
//! operation of the engine.

use std::process::ExitCode;

use rungrad::part1_cpu::Tensor;
use rungrad::shape::list;

// ANCHOR: part1-quotient
/// `a * b^-1`, composed from two operations that are each correct.
fn derived(a: &Tensor, b: &Tensor) -> Tensor {
    a.mul(&b.pow(-1.0))
}

fn main() -> ExitCode {
    rungrad::run(|| {
        show("a * b^-1", derived);
        show("a / b", Tensor::div);
        Ok(())
    })
}

fn show(title: &str, quotient: fn(&Tensor, &Tensor) -> Tensor) {
    let a = Tensor::new(&[3], &[41.0, 1e-30, 1e30]);
    let b = Tensor::new(&[3], &[41.0, 1e-20, 1e25]);
    let y = quotient(&a, &b);
    y.sum().backward();
    let grad: Vec<f32> = b.grad().into_iter().flatten().collect();
    println!("{title}");
    println!("  value          {}", list(&y.to_vec()));
    println!("  gradient of b  {}", list(&grad));
}
// ANCHOR_END: part1-quotient
