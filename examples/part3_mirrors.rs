//! Gradients of views and of a move between devices, with the dot-product
//! test: for a linear map A, <A x, w> equals <x, gradient>.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: part3-mirrors
/// Prints <view(x), w>, <x, gradient> and the gradient of <view(x), w> with
/// respect to x, for the weights w = 1, 2, 3, ..
fn test(
    name: &str,
    view: impl Fn(&Tensor) -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let x = Tensor::new(&[2, 3], &values, Device::Cpu)?.requires_grad();
    let y = view(&x)?;
    let weights: Vec<f32> = (1..=y.array().len()).map(|i| i as f32).collect();
    let weights = Tensor::new(y.shape(), &weights, y.device())?;
    let loss = y.mul(&weights).sum();
    loss.backward();
    let grad = x.grad().expect("x requires a gradient");
    let right = x.detach().mul(&grad).sum();
    let [left, right] = [loss.item()?, right.item()?];
    println!("{name:<12}{left:>6}{right:>6}  {}", grad.array());
    Ok(())
}

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Device::Gpu(0);
        println!("{:12}<y, w> <x, gradient>", "");
        test("transpose", |x| Ok(x.transpose()))?;
        test("slice", |x| Ok(x.slice(&[0..1, 1..3])))?;
        test("expand", |x| Ok(x.expand(&[4, 2, 3])))?;
        test("slice twice", |x| {
            let (left, right) =
                (x.slice(&[0..2, 0..2]), x.slice(&[0..2, 1..3]));
            Ok(left.add(&right))
        })?;
        test("to", |x| x.to(gpu))?;
        test("square", |x| Ok(x.mul(x)))
    })
}
// ANCHOR_END: part3-mirrors
