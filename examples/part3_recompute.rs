//! Activation checkpointing: saves only the inputs of several layers and
//! computes their intermediate values again in backward.

use std::process::ExitCode;

use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply, enable_grad,
};
use rungrad::{Error, Result, ledger};

const ROWS: usize = 256;
const WIDTH: usize = 64;
const LAYERS: usize = 64;

// ANCHOR: checkpoint
/// Several layers as one function that saves only its inputs: an `x` and one
/// weight per layer.
struct Checkpoint {
    layers: usize,
}

fn layers(inputs: &[Tensor]) -> Tensor {
    let (x, weights) = inputs.split_first().expect("an input");
    weights.iter().fold(x.clone(), |x, weight| x.matmul(weight).tanh())
}

impl Function for Checkpoint {
    fn op(&self) -> Op {
        Op::Custom("checkpoint")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        for (i, input) in inputs.iter().enumerate() {
            ctx.save_input(i, input);
        }
        // Tensors made from arrays require no gradient, so nothing is
        // recorded.
        let inputs = inputs.iter().map(|&array| Tensor::from(array.clone()));
        Ok(layers(&inputs.collect::<Vec<_>>()).array().clone())
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let mut inputs: Vec<Tensor> =
            (0..=self.layers).map(|i| ctx.input(i)).collect();
        assert!(
            !inputs.iter().any(Tensor::records),
            "the gradients of a checkpoint have no graph, so it cannot be \
             differentiated twice"
        );
        for (i, input) in inputs.iter_mut().enumerate() {
            if ctx.needs(i) {
                // A leaf of a graph that exists only during this call.
                *input = input.clone().requires_grad();
            }
        }
        let y = enable_grad(|| layers(&inputs));
        y.backward_with(grad_out);
        inputs.iter().map(Tensor::grad).collect()
    }
}
// ANCHOR_END: checkpoint

/// The cost of one step, in bytes and in multiplications, and its gradients.
struct Step {
    saved: u64,
    peak: u64,
    products: u64,
    gradients: Vec<Vec<f32>>,
}

// ANCHOR: step
/// Applies the layers in groups, each of them as one checkpoint.
fn checkpointed(x: &Tensor, weights: &[Tensor], group: usize) -> Tensor {
    weights.chunks(group).fold(x.clone(), |x, weights| {
        let inputs: Vec<&Tensor> = [&x].into_iter().chain(weights).collect();
        apply(Checkpoint { layers: weights.len() }, &inputs)
    })
}

/// Runs forward and backward once. The device records its peak over the whole
/// program, so the step that needs the least memory must run first.
fn step(forward: impl Fn(&Tensor, &[Tensor]) -> Tensor) -> Result<Step, Error> {
    let device = Device::Cpu;
    let x = Tensor::rand(&[ROWS, WIDTH], 1, device)?;
    let weight = |i| Tensor::rand(&[WIDTH, WIDTH], 2 + i as u64, device);
    let weights = (0..LAYERS).map(|i| {
        let weight = weight(i)?.shift(-0.5).scale(0.4);
        Ok(weight.requires_grad())
    });
    let weights: Vec<Tensor> = weights.collect::<Result<_>>()?;

    let before = device.memory()?.now;
    let (saved, counts) = ledger::measure(|| {
        let y = forward(&x, &weights);
        let saved = device.memory().map(|memory| memory.now - before);
        y.mul(&y).mean().backward();
        saved
    });
    let gradients = weights.iter().filter_map(Tensor::grad);
    Ok(Step {
        saved: saved?,
        peak: device.memory()?.peak - before,
        products: counts.products,
        gradients: gradients.map(|it| it.to_vec()).collect::<Result<_>>()?,
    })
}
// ANCHOR_END: step

fn main() -> ExitCode {
    rungrad::run(|| {
        let few = step(|x, weights| checkpointed(x, weights, 8))?;
        let all = step(|x, weights| {
            layers(&[std::slice::from_ref(x), weights].concat())
        })?;
        println!(
            "{:>26}{:>12}{:>17}",
            "after forward", "peak", "multiply-adds"
        );
        for (name, step) in [("all values", &all), ("every 8th", &few)] {
            let kib = |bytes: u64| format!("{} KiB", bytes / 1024);
            let [saved, peak] = [step.saved, step.peak].map(kib);
            println!("{name:<10}{saved:>16}{peak:>12}{:>17}", step.products);
        }
        let is_same = all.gradients == few.gradients;
        println!("the gradients are the same: {is_same}");
        Ok(())
    })
}
