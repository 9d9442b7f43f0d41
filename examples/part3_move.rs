//! Moves a layer to a device one tensor at a time, and then as a module.

use std::process::ExitCode;

use rungrad::nn::{Linear, Module, Parameters};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;
use rungrad::{Error, attempt};

// ANCHOR: part3-move
fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::Gpu(0);

        println!("one tensor at a time:");
        let mut layer = Linear::new(2, 1, &mut Random::new(0));
        let old = layer.weight.clone();
        layer.weight = layer.weight.to(device)?;
        layer.bias = layer.bias.to(device)?;
        learn(&mut layer, device)?;
        println!("  the old weight's gradient is {}", gradient(&old));

        println!("as a module:");
        let mut layer = Linear::new(2, 1, &mut Random::new(0));
        layer.to(device)?;
        learn(&mut layer, device)
    })
}

/// Runs forward, backward, and an optimizer step.
fn learn(layer: &mut Linear, device: Device) -> Result<(), Error> {
    let x = Tensor::new(&[1, 2], &[5.0, 7.0], device)?;
    let y = layer.forward(&x);
    println!("  forward gives {}", y.array());
    y.sum().backward();
    println!("  the weight's tape: {}", layer.weight.tape().ops().join(", "));
    println!("  its gradient is {}", gradient(&layer.weight));
    match attempt(|| Sgd::new(0.1, 0.0).step(layer.parameters_mut())) {
        Ok(()) => println!("  after a step: {}", layer.weight.array()),
        Err(error) => {
            println!("  {}", error.to_string().replace("; ", ";\n    "));
        }
    }
    Ok(())
}

fn gradient(tensor: &Tensor) -> String {
    tensor.grad().map_or("none".into(), |grad| grad.array().to_string())
}
// ANCHOR_END: part3-move
