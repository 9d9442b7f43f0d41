//! Gradients through views and across devices: backward undoes each move.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: part3-mirrors
/// Prints how often each element of x counts in the sum of a view.
fn gradient(
    view: impl Fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<String, Error> {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let x = Tensor::new(&[2, 3], &values, Device::Cpu)?.requires_grad();
    view(&x)?.sum().backward();
    let grad = x.grad().expect("x requires a gradient");
    Ok(grad.array().to_string())
}

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Device::Gpu(0);
        println!("transpose    {}", gradient(|x| Ok(x.transpose()))?);
        println!("slice        {}", gradient(|x| Ok(x.slice(&[0..1, 1..3])))?);
        println!("expand       {}", gradient(|x| Ok(x.expand(&[4, 2, 3])))?);
        println!(
            "slice twice  {}",
            gradient(|x| {
                let (left, right) =
                    (x.slice(&[0..2, 0..2]), x.slice(&[0..2, 1..3]));
                Ok(left.add(&right))
            })?
        );
        println!(
            "to and back  {}",
            gradient(|x| {
                let there = x.to(gpu)?;
                Ok(there.mul(&there))
            })?
        );
        Ok(())
    })
}
// ANCHOR_END: part3-mirrors
