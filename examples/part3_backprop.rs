//! Computes the notebook's example with Part 3, on the device that you name.

use std::process::ExitCode;

use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: part3-backprop
fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::from_env()?;
        let leaf = |values: &[f32]| {
            let tensor = Tensor::new(&[values.len()], values, device)?;
            Ok::<_, rungrad::Error>(tensor.requires_grad())
        };
        let (a, b) = (leaf(&[2.0])?, leaf(&[3.0])?);
        let c = a.mul(&b);
        c.backward();
        println!("a: {a}\nb: {b}");

        let (a, b) = (leaf(&[2.0, 3.0])?, leaf(&[3.0, 4.0])?);
        let d = a.mul(&b).mul(&b);
        d.sum().backward();
        println!("a: {a}\nb: {b}");
        Ok(())
    })
}
// ANCHOR_END: part3-backprop
