//! The functions of the reader's engine, by name. Where a signature is another
//! than the check needs, the compiler points at a line of this file: the word
//! behind the line is the signature that it needs.

#![allow(dead_code, reason = "what is written needs no stand-in")]
#![allow(clippy::all, reason = "nobody but the compiler has to like it")]

use std::cell::RefCell;

use my_engine::{Handle, Table, lacks};
use rungrad::ops::Keep;
use rungrad::rng::Random;

use super::yours::Tensor;

fn of(tensor: Tensor) -> Handle {
    Handle::new(tensor)
}

fn all(tensors: Vec<Tensor>) -> Vec<Handle> {
    tensors.into_iter().map(of).collect()
}

fn it(tensor: &Handle) -> &Tensor {
    tensor.get()
}

#[rustfmt::skip]
pub(super) const TABLE: Table = Table {
    new: |shape, values| of(Tensor::new(shape, values)), // pub fn new(shape: &[usize], values: &[f32]) -> Tensor
    shape: |a| it(a).shape().to_vec(), // pub fn shape(&self) -> &[usize]
    to_vec: |a| it(a).to_vec(), // pub fn to_vec(&self) -> Vec<f32>
    id: |a| it(a).id(), // pub fn id(&self) -> u64
    op: |a| it(a).op().to_string(), // pub fn op(&self) -> &'static str
    parents: |a| all(it(a).parents().to_vec()), // pub fn parents(&self) -> &[Tensor]
    graph: |a| all(it(a).graph()), // pub fn graph(&self) -> Vec<Tensor>
    grad: |a| it(a).grad(), // pub fn grad(&self) -> Option<Vec<f32>>
    zero_grad: |a| it(a).zero_grad(), // pub fn zero_grad(&self)
    backward: |a| it(a).backward(), // pub fn backward(&self)
    backward_with: |a, g| it(a).backward_with(it(g)), // pub fn backward_with(&self, grad: &Tensor)
    one: &[
        ("neg", |a| of(it(a).neg())), // pub fn neg(&self) -> Tensor
        ("exp", |a| of(it(a).exp())), // pub fn exp(&self) -> Tensor
        ("log", |a| of(it(a).log())), // pub fn log(&self) -> Tensor
        ("relu", |a| of(it(a).relu())), // pub fn relu(&self) -> Tensor
        ("abs", |a| of(it(a).abs())), // pub fn abs(&self) -> Tensor
        ("sqrt", |a| of(it(a).sqrt())), // pub fn sqrt(&self) -> Tensor
        ("tanh", |a| of(it(a).tanh())), // pub fn tanh(&self) -> Tensor
        ("sigmoid", |a| of(it(a).sigmoid())), // pub fn sigmoid(&self) -> Tensor
        ("gelu", |a| of(it(a).gelu())), // pub fn gelu(&self) -> Tensor
        ("sum", |a| of(it(a).sum())), // pub fn sum(&self) -> Tensor
        ("mean", |a| of(it(a).mean())), // pub fn mean(&self) -> Tensor
        ("max", |a| of(it(a).max())), // pub fn max(&self) -> Tensor
        ("transpose", |a| of(it(a).transpose())), // pub fn transpose(&self) -> Tensor
        ("softmax", |a| of(it(a).softmax())), // pub fn softmax(&self) -> Tensor
        ("log_softmax", |a| of(it(a).log_softmax())), // pub fn log_softmax(&self) -> Tensor
    ],
    two: &[
        ("mul", |a, b| of(it(a).mul(it(b)))), // pub fn mul(&self, other: &Tensor) -> Tensor
        ("add", |a, b| of(it(a).add(it(b)))), // pub fn add(&self, other: &Tensor) -> Tensor
        ("sub", |a, b| of(it(a).sub(it(b)))), // pub fn sub(&self, other: &Tensor) -> Tensor
        ("div", |a, b| of(it(a).div(it(b)))), // pub fn div(&self, other: &Tensor) -> Tensor
        ("matmul", |a, b| of(it(a).matmul(it(b)))), // pub fn matmul(&self, other: &Tensor) -> Tensor
    ],
    over: &[
        ("sum_over", |a, axes, keep| of(it(a).sum_over(axes, keep))), // pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor
        ("mean_over", |a, axes, keep| of(it(a).mean_over(axes, keep))), // pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor
        ("max_over", |a, axes, keep| of(it(a).max_over(axes, keep))), // pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor
    ],
    many: &[
        ("reshape", |a, shape| of(it(a).reshape(shape))), // pub fn reshape(&self, shape: &[usize]) -> Tensor
        ("cross_entropy", |a, labels| of(it(a).cross_entropy(labels))), // pub fn cross_entropy(&self, labels: &[usize]) -> Tensor
    ],
    pow: |a, number| of(it(a).pow(number)), // pub fn pow(&self, number: f32) -> Tensor
    network: network::new,
    forward: network::forward,
    parameters: network::parameters,
    step: network::step,
};

/// What is not written yet. A function of the reader's own type wins over one
/// of a trait, so each stands in for its namesake until that is there.
#[rustfmt::skip]
trait Absent: Sized {
    fn new(_: &[usize], _: &[f32]) -> Tensor { lacks("new") }
    fn shape(&self) -> Vec<usize> { lacks("shape") }
    fn to_vec(&self) -> Vec<f32> { lacks("to_vec") }
    fn id(&self) -> u64 { lacks("id") }
    fn op(&self) -> String { lacks("op") }
    fn parents(&self) -> Vec<Tensor> { lacks("parents") }
    fn graph(&self) -> Vec<Tensor> { lacks("graph") }
    fn grad(&self) -> Option<Vec<f32>> { lacks("grad") }
    fn zero_grad(&self) { lacks("zero_grad") }
    fn backward(&self) { lacks("backward") }
    fn backward_with(&self, _: &Tensor) { lacks("backward_with") }
    fn neg(&self) -> Tensor { lacks("neg") }
    fn exp(&self) -> Tensor { lacks("exp") }
    fn log(&self) -> Tensor { lacks("log") }
    fn relu(&self) -> Tensor { lacks("relu") }
    fn abs(&self) -> Tensor { lacks("abs") }
    fn sqrt(&self) -> Tensor { lacks("sqrt") }
    fn tanh(&self) -> Tensor { lacks("tanh") }
    fn sigmoid(&self) -> Tensor { lacks("sigmoid") }
    fn gelu(&self) -> Tensor { lacks("gelu") }
    fn sum(&self) -> Tensor { lacks("sum") }
    fn mean(&self) -> Tensor { lacks("mean") }
    fn max(&self) -> Tensor { lacks("max") }
    fn transpose(&self) -> Tensor { lacks("transpose") }
    fn softmax(&self) -> Tensor { lacks("softmax") }
    fn log_softmax(&self) -> Tensor { lacks("log_softmax") }
    fn mul(&self, _: &Tensor) -> Tensor { lacks("mul") }
    fn add(&self, _: &Tensor) -> Tensor { lacks("add") }
    fn sub(&self, _: &Tensor) -> Tensor { lacks("sub") }
    fn div(&self, _: &Tensor) -> Tensor { lacks("div") }
    fn matmul(&self, _: &Tensor) -> Tensor { lacks("matmul") }
    fn sum_over(&self, _: &[usize], _: Keep) -> Tensor { lacks("sum_over") }
    fn mean_over(&self, _: &[usize], _: Keep) -> Tensor { lacks("mean_over") }
    fn max_over(&self, _: &[usize], _: Keep) -> Tensor { lacks("max_over") }
    fn reshape(&self, _: &[usize]) -> Tensor { lacks("reshape") }
    fn cross_entropy(&self, _: &[usize]) -> Tensor { lacks("cross_entropy") }
    fn pow(&self, _: f32) -> Tensor { lacks("pow") }
}

impl Absent for Tensor {}

/// The reader's network, which may not be there as a type either: then the
/// name means the empty one of the block around.
#[rustfmt::skip]
mod network {
    use super::{Handle, Random, RefCell, Tensor, lacks};

    mod absent {
        pub(super) struct Network;
    }

    trait Absent: Sized {
        fn new(_: &[usize], _: &mut Random) -> Self { lacks("Network::new") }
        fn forward(&self, _: &Tensor) -> Tensor { lacks("forward") }
        fn parameters(&self) -> Vec<Tensor> { lacks("parameters") }
        fn step(&mut self, _: f32, _: f32) { lacks("step") }
    }

    impl<T> Absent for T {}

    pub(super) fn new(sizes: &[usize], random: &mut Random) -> Handle {
        #[allow(unused_imports)]
        use absent::*;
        {
            #[allow(unused_imports)]
            use super::super::yours::*;
            Handle::new(RefCell::new(Network::new(sizes, random))) // pub fn new(sizes: &[usize], random: &mut Random) -> Network
        }
    }

    pub(super) fn forward(network: &Handle, x: &Handle) -> Handle {
        #[allow(unused_imports)]
        use absent::*;
        {
            #[allow(unused_imports)]
            use super::super::yours::*;
            let network: &Network = &network.get::<RefCell<Network>>().borrow();
            super::of(network.forward(super::it(x))) // pub fn forward(&self, x: &Tensor) -> Tensor
        }
    }

    pub(super) fn parameters(network: &Handle) -> Vec<Handle> {
        #[allow(unused_imports)]
        use absent::*;
        {
            #[allow(unused_imports)]
            use super::super::yours::*;
            let network: &Network = &network.get::<RefCell<Network>>().borrow();
            super::all(network.parameters()) // pub fn parameters(&self) -> Vec<Tensor>
        }
    }

    pub(super) fn step(network: &Handle, rate: f32, momentum: f32) {
        #[allow(unused_imports)]
        use absent::*;
        {
            #[allow(unused_imports)]
            use super::super::yours::*;
            let network: &mut Network = &mut network.get::<RefCell<Network>>().borrow_mut();
            network.step(rate, momentum) // pub fn step(&mut self, rate: f32, momentum: f32)
        }
    }
}
