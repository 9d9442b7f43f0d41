//! Gradient descent on x² with four learning rates.

use std::process::ExitCode;

use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-bowl
fn main() -> ExitCode {
    rungrad::run(|| {
        for rate in [0.1, 0.5, 0.9, 1.1] {
            descend(rate);
        }
        Ok(())
    })
}

/// Takes five steps on the loss x², beginning at 3, and prints each x.
fn descend(rate: f32) {
    let mut x = Tensor::new(&[1], &[3.0]);
    print!("rate {rate}  x {:6.3}", x.to_vec()[0]);
    for _ in 0..5 {
        let loss = &x * &x;
        loss.backward();
        let grad = x.grad().expect("x is a leaf");
        x = Tensor::from(&*x.data() - &grad * rate);
        print!(" {:6.3}", x.to_vec()[0]);
    }
    println!();
}
// ANCHOR_END: part1-bowl
