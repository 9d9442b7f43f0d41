//! The networks of Parts 2 and 3.

use std::cell::RefCell;

use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::optim::{self, Optimizer};
use rungrad::rng::Random;
use rungrad::{part2_gpu, part3_unified};

use super::Trainable;
use crate::engine::{Part2, Part3};

/// Part 2 has no modules. Its network is a list of parameters, each with its
/// velocity.
impl Trainable for Part2 {
    type Network = RefCell<Vec<[part2_gpu::Tensor; 2]>>;

    fn network(&self, sizes: &[usize], random: &mut Random) -> Self::Network {
        let leaf = |shape: &[usize], values: &[f32]| {
            let tensor = part2_gpu::Tensor::new(&self.0, shape, values);
            let tensor = tensor.expect("the device has room for a network");
            [tensor.requires_grad(), tensor.scale(0.0)]
        };
        let mut parameters = Vec::new();
        for pair in sizes.windows(2) {
            let deviation = (2.0 / pair[0] as f32).sqrt();
            let draw = |_| deviation * random.normal();
            let weights: Vec<f32> = (0..pair[0] * pair[1]).map(draw).collect();
            parameters.push(leaf(pair, &weights));
            parameters.push(leaf(&pair[1..], &vec![0.0; pair[1]]));
        }
        RefCell::new(parameters)
    }

    fn forward(
        &self,
        network: &Self::Network,
        x: &Self::Tensor,
    ) -> Self::Tensor {
        let network = network.borrow();
        let mut layers = network.chunks(2);
        let layer = |x: &Self::Tensor, layer: &[[Self::Tensor; 2]]| {
            x.matmul(&layer[0][0]).add(&layer[1][0])
        };
        let first = layer(x, layers.next().expect("a layer"));
        layers.fold(first, |x, next| layer(&x.relu(), next))
    }

    fn parameters(&self, network: &Self::Network) -> Vec<Self::Tensor> {
        network.borrow().iter().map(|[value, _]| value.clone()).collect()
    }

    fn step(&self, network: &Self::Network, rate: f32, momentum: f32) {
        for [value, velocity] in network.borrow_mut().iter_mut() {
            let grad = value.grad().expect("backward was called");
            *velocity = velocity.scale(momentum).add(&grad);
            let better = value.detach().add(&velocity.scale(-rate));
            *value = better.requires_grad();
        }
    }
}

impl Trainable for Part3 {
    type Network = RefCell<(Sequential, Option<optim::Sgd>)>;

    fn network(&self, sizes: &[usize], random: &mut Random) -> Self::Network {
        let mut network = Sequential::new();
        for (at, pair) in sizes.windows(2).enumerate() {
            if at > 0 {
                network = network.then(part3_unified::Tensor::relu);
            }
            network = network.then(Linear::new(pair[0], pair[1], random));
        }
        network.to(self.0).expect("the device has room for a network");
        RefCell::new((network, None))
    }

    fn forward(
        &self,
        network: &Self::Network,
        x: &Self::Tensor,
    ) -> Self::Tensor {
        network.borrow().0.forward(x)
    }

    fn parameters(&self, network: &Self::Network) -> Vec<Self::Tensor> {
        let network = network.borrow();
        let all = network.0.parameters();
        all.into_iter().map(|(_, parameter)| parameter.clone()).collect()
    }

    fn step(&self, network: &Self::Network, rate: f32, momentum: f32) {
        let (network, sgd) = &mut *network.borrow_mut();
        let sgd = sgd.get_or_insert_with(|| optim::Sgd::new(rate, momentum));
        sgd.step(network.parameters_mut());
    }
}
