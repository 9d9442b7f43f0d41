//! Checks `module_to`, which moves a whole model to a device.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check_on_device, expect, numbers, wrong};
use rungrad::nn::{Linear, Module};
use rungrad::opencl::Gpu;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

exercises::yours!("part3_unified/module_to.rs");

fn main() -> ExitCode {
    check_on_device(
        "module_to",
        YOURS,
        &[
            ("every parameter is on the device, with its values", arrives),
            ("every parameter is a leaf that requires a gradient", leaves),
            ("backward leaves its gradients on the device", gradients),
            ("a model that is already there is not copied", stays),
            ("a missing device is an Error", refused),
        ],
    )
}

/// Two layers whose parameters are all different from 0.
fn model() -> Result<Vec<Linear>, Stop> {
    let mut random = Random::new(1);
    let mut layers =
        vec![Linear::new(3, 4, &mut random), Linear::new(4, 2, &mut random)];
    for (seed, layer) in (2..).zip(&mut layers) {
        let shape = layer.bias.shape().to_vec();
        let values = numbers(seed, shape[0]);
        layer.bias = Tensor::new(&shape, &values, Device::Cpu)?.requires_grad();
    }
    Ok(layers)
}

fn moved(gpu: &Gpu) -> Result<(Vec<Linear>, Device), Stop> {
    let (mut layers, device) = (model()?, Device::Gpu(gpu.info().index));
    yours::to(&mut layers, device)?;
    Ok((layers, device))
}

/// Returns each parameter with its name, such as `layers[1].bias`.
fn named(layers: &[Linear]) -> Vec<(String, &Tensor)> {
    let layers = layers.iter().enumerate();
    let of_layer = layers.flat_map(|(at, layer)| {
        let name = move |field: &str| format!("layers[{at}].{field}");
        [(name("weight"), &layer.weight), (name("bias"), &layer.bias)]
    });
    of_layer.collect()
}

fn arrives(gpu: &Gpu) -> Outcome {
    let (layers, device) = moved(gpu)?;
    let before = model()?;
    let all = named(&layers);
    let stayed: Vec<&str> = all
        .iter()
        .filter(|(_, parameter)| parameter.device() != device)
        .map(|(name, _)| name.as_str())
        .collect();
    if stayed.len() == all.len() {
        return Err(wrong(
            "Nothing was moved: all parameters are still on the processor. \
             `to` returns a new tensor; store it in place of the old one.",
        ));
    }
    if !stayed.is_empty() {
        return Err(wrong(format!(
            "Still on the processor: {}. A model on two devices cannot compute \
             anything: its first forward pass would be rejected.",
            stayed.join(", ")
        )));
    }
    for ((name, there), (_, here)) in all.iter().zip(named(&before)) {
        expect(name, &there.to_vec()?, &here.to_vec()?)?;
    }
    Ok(())
}

fn leaves(gpu: &Gpu) -> Outcome {
    let (layers, _) = moved(gpu)?;
    for (name, parameter) in named(&layers) {
        if parameter.id().is_none() {
            return Err(wrong(format!(
                "{name} has its values but requires no gradient: backward will \
                 leave no gradient in it, and it will never learn. Make it a \
                 leaf with .requires_grad()."
            )));
        }
        let ops = parameter.tape().ops().join(", ");
        if ops != "leaf" {
            return Err(wrong(format!(
                "{name} is the result of an operation, and its tape says \
                 \"{ops}\". Its gradient would go to the old leaf, and no \
                 optimizer would find a gradient in it. Cut off the graph: \
                 .detach() before the move."
            )));
        }
    }
    Ok(())
}

fn gradients(gpu: &Gpu) -> Outcome {
    let (layers, device) = moved(gpu)?;
    let x = Tensor::new(&[2, 3], &numbers(4, 6), device)?;
    let hidden = layers[0].forward(&x).tanh();
    layers[1].forward(&hidden).sum().backward();
    for (name, parameter) in named(&layers) {
        let Some(grad) = parameter.grad() else {
            return Err(wrong(format!(
                "{name} got no gradient: backward did not reach it."
            )));
        };
        if grad.device() != device {
            let there = grad.device();
            return Err(wrong(format!(
                "The gradient of {name} is on {there}, not on {device}."
            )));
        }
    }
    Ok(())
}

fn stays(gpu: &Gpu) -> Outcome {
    let (mut layers, device) = moved(gpu)?;
    let before: Vec<_> =
        named(&layers).iter().map(|(_, p)| p.array().clone()).collect();
    yours::to(&mut layers, device)?;
    for ((name, parameter), before) in named(&layers).iter().zip(&before) {
        if !parameter.array().shares_storage(before) {
            return Err(wrong(format!(
                "{name} was already on {device}, but its data was copied. \
                 Tensor::to copies only if necessary."
            )));
        }
    }
    Ok(())
}

fn refused(_: &Gpu) -> Outcome {
    let mut layers = model()?;
    match yours::to(&mut layers, Device::Gpu(Device::count())) {
        Err(_) => Ok(()),
        Ok(()) => Err(wrong(
            "There is no such device, but your function returns Ok. Pass on \
             the error of Tensor::to with `?`.",
        )),
    }
}
