//! Computes the notebook's example with the finished Part 1.

use std::process::ExitCode;

use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-backprop
fn main() -> ExitCode {
    rungrad::run(|| {
        let a = Tensor::new(&[1], &[2.0]);
        let b = Tensor::new(&[1], &[3.0]);
        let c = a.mul(&b);
        c.backward();
        println!("a: {a}\nb: {b}");

        let a = Tensor::new(&[2], &[2.0, 3.0]);
        let b = Tensor::new(&[2], &[3.0, 4.0]);
        let d = a.mul(&b).mul(&b);
        d.sum().backward();
        println!("a: {a}\nb: {b}");
        Ok(())
    })
}
// ANCHOR_END: part1-backprop
