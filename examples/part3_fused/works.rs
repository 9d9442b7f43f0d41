//! The computations that are counted, for tensors on any device.

use rungrad::Error;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, no_grad};

// ANCHOR: works
/// Adds a bias row to each row, then applies ReLU.
pub(crate) fn bias_relu([x, bias]: &[Tensor; 2]) -> Tensor {
    x.add(bias).relu()
}

/// Computes the softmax of each row, written as its formula.
pub(crate) fn softmax(x: &Tensor) -> Tensor {
    let most = x.max_over(&[1], Keep::Yes);
    let above = x.sub(&most).exp();
    above.div(&above.sum_over(&[1], Keep::Yes))
}
// ANCHOR_END: works

/// Returns a matrix with elements from -0.5 to 0.5, and a row of them.
pub(crate) fn inputs(device: Device) -> Result<[Tensor; 2], Error> {
    Ok([numbers(&[512, 256], 1, device)?, numbers(&[256], 2, device)?])
}

fn numbers(shape: &[usize], seed: u64, to: Device) -> Result<Tensor, Error> {
    let all = Tensor::rand(shape, seed, Device::Cpu)?.shift(-0.5);
    all.to(to)
}

/// A network of two layers, and its training data.
pub(crate) struct Network {
    parameters: Vec<Tensor>,
    x: Tensor,
    labels: Vec<usize>,
}

impl Network {
    /// Creates the network and its training data on a device.
    pub(crate) fn new(device: Device) -> Result<Network, Error> {
        let shapes = [&[64, 32][..], &[32], &[32, 10], &[10]];
        let parameters = shapes.iter().zip(2..).map(|(shape, seed)| {
            Ok(numbers(shape, seed, device)?.requires_grad())
        });
        Ok(Network {
            parameters: parameters.collect::<Result<_, Error>>()?,
            x: numbers(&[32, 64], 1, device)?,
            labels: (0..32).map(|row| row % 10).collect(),
        })
    }

    // ANCHOR: step
    /// Takes a step of gradient descent and returns the loss before it.
    pub(crate) fn step(&mut self, rate: f32) -> Tensor {
        let [w1, b1, w2, b2] = &self.parameters[..] else { unreachable!() };
        let hidden = self.x.matmul(w1).add(b1).relu();
        let loss = hidden.matmul(w2).add(b2).cross_entropy(&self.labels);
        loss.backward();
        for parameter in &mut self.parameters {
            let grad = parameter.grad().expect("backward was there");
            let better = no_grad(|| parameter.add(&grad.scale(-rate)));
            *parameter = better.requires_grad();
        }
        loss.detach()
    }
    // ANCHOR_END: step
}
