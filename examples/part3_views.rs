//! Several views of the same four elements, and a write through one of them.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part3_unified::{Array, Device, Tensor};

// ANCHOR: lecture
fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::from_env()?;
        let x = Array::new(&[4], &[1.0, 2.0, 3.0, 4.0], device)?;
        let y = x.as_strided(&[2, 2], &[2, 1], 0)?;
        let z = x.as_strided(&[2, 1], &[2, 1], 1)?;
        println!("{x}\n{y}\n{z}");
        println!(
            "one memory: {}",
            x.shares_storage(&y) && y.shares_storage(&z)
        );
        if let Err(error) = x.as_strided(&[2, 2], &[2, 1], 1) {
            println!("{}", in_lines(&error));
        }
        set(&x, y)
    })
}
// ANCHOR_END: lecture

// ANCHOR: set
/// Writes to a view whose memory was saved for backward.
fn set(x: &Array, mut y: Array) -> Result<(), Error> {
    let leaf = Tensor::from(x.clone()).requires_grad();
    let loss = leaf.mul(&leaf).sum();

    let hundreds = Array::full(&[1, 2], 100.0, y.device())?;
    y.set(&[0..1, 0..2], &hundreds)?;
    println!("\n{y}\n{x}");
    println!("one memory: {}", x.shares_storage(&y));

    loss.backward();
    let grad = leaf.grad().expect("a leaf keeps its gradient");
    println!("grad: {}", grad.array());
    Ok(())
}
// ANCHOR_END: set

/// Wraps an error message to the width of the page.
fn in_lines(error: &Error) -> String {
    let sentence = error.to_string().replace(" reaches", "\n    reaches");
    sentence.replace("; ", ";\n    ")
}
