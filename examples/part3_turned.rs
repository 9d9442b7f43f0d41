//! The gradients of a convolution: overlapping windows are added, and filters
//! are rotated by 180 degrees.

use std::process::ExitCode;

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor, Window};

fn main() -> ExitCode {
    rungrad::run(|| {
        seen()?;
        turned()
    })
}

fn show(what: &str, image: &Tensor) -> Result<(), Error> {
    println!("{what}");
    let width = image.shape()[image.shape().len() - 1];
    for row in image.to_vec()?.chunks(width) {
        let row: Vec<String> = row.iter().map(|x| format!("{x:3}")).collect();
        println!(" {}", row.join(""));
    }
    Ok(())
}

// ANCHOR: seen
/// Prints how many windows contain each pixel.
fn seen() -> Result<(), Error> {
    let image = Tensor::full(&[5, 5], 1.0, Device::Cpu)?.requires_grad();
    let windows = image.windows(&Window::new([3, 3]));
    windows.sum().backward();
    let grad = image.grad().expect("the image requires a gradient");
    show("windows of 3 x 3 that show a pixel:", &grad)
}
// ANCHOR_END: seen

// ANCHOR: turned
/// Computes the gradient of an image by backward and as a convolution.
fn turned() -> Result<(), Error> {
    let numbers: Vec<f32> = (1..=9).map(|x| x as f32).collect();
    let image = Tensor::rand(&[1, 1, 5, 5], 0, Device::Cpu)?.requires_grad();
    let filter = Tensor::new(&[1, 1, 3, 3], &numbers, Device::Cpu)?;
    let filter = filter.requires_grad();
    let out = image.conv2d(&filter, None, &ConvOptions::new());
    // The loss depends on only one output.
    let mut weights = [0.0; 9];
    weights[4] = 1.0;
    let weights = Tensor::new(&[1, 1, 3, 3], &weights, Device::Cpu)?;
    let tape = out.mul(&weights).sum().backward_recorded();
    let grad = image.grad().expect("the image requires a gradient");
    show("the gradient of the image, for the output in the middle:", &grad)?;

    let around = ConvOptions::new().padding([2, 2]);
    let mirror = weights.conv2d(&filter.flip(&[2, 3]), None, &around);
    let same = mirror.to_vec()? == grad.to_vec()?;
    println!("the rotated filter over the padded gradient gives it: {same}");
    match tape.blame() {
        None => println!("every rule agrees with the reference"),
        Some(blame) => println!("{blame:?}"),
    }
    Ok(())
}
// ANCHOR_END: turned
