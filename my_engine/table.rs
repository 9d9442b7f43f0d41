//! The functions of the reader's engine, by name. If a signature does not
//! match, the compiler points to a line of this file: the comment at the end
//! of that line is the signature that the check needs.

#![allow(
    dead_code,
    reason = "a function that is written does not use its stand-in"
)]
#![allow(clippy::all, reason = "only the compiler reads these stand-ins")]

use std::cell::RefCell;

use my_engine::{Handle, Table, lacks};
use rungrad::ops::Keep;
use rungrad::rng::Random;

use super::yours::Tensor;

fn wrap(tensor: Tensor) -> Handle {
    Handle::new(tensor)
}

fn wrap_all(tensors: Vec<Tensor>) -> Vec<Handle> {
    tensors.into_iter().map(wrap).collect()
}

fn get(tensor: &Handle) -> &Tensor {
    tensor.get()
}

#[rustfmt::skip]
pub(super) const TABLE: Table = Table {
    new: |shape, values| wrap(Tensor::new(shape, values)), // pub fn new(shape: &[usize], values: &[f32]) -> Tensor
    shape: |a| get(a).shape().to_vec(), // pub fn shape(&self) -> &[usize]
    to_vec: |a| get(a).to_vec(), // pub fn to_vec(&self) -> Vec<f32>
    id: |a| get(a).id(), // pub fn id(&self) -> u64
    op: |a| get(a).op().to_string(), // pub fn op(&self) -> &'static str
    parents: |a| wrap_all(get(a).parents().to_vec()), // pub fn parents(&self) -> &[Tensor]
    graph: |a| wrap_all(get(a).graph()), // pub fn graph(&self) -> Vec<Tensor>
    grad: |a| get(a).grad(), // pub fn grad(&self) -> Option<Vec<f32>>
    zero_grad: |a| get(a).zero_grad(), // pub fn zero_grad(&self)
    backward: |a| get(a).backward(), // pub fn backward(&self)
    backward_with: |a, g| get(a).backward_with(get(g)), // pub fn backward_with(&self, grad: &Tensor)
    one: &[
        ("neg", |a| wrap(get(a).neg())), // pub fn neg(&self) -> Tensor
        ("exp", |a| wrap(get(a).exp())), // pub fn exp(&self) -> Tensor
        ("log", |a| wrap(get(a).log())), // pub fn log(&self) -> Tensor
        ("relu", |a| wrap(get(a).relu())), // pub fn relu(&self) -> Tensor
        ("abs", |a| wrap(get(a).abs())), // pub fn abs(&self) -> Tensor
        ("sqrt", |a| wrap(get(a).sqrt())), // pub fn sqrt(&self) -> Tensor
        ("tanh", |a| wrap(get(a).tanh())), // pub fn tanh(&self) -> Tensor
        ("sigmoid", |a| wrap(get(a).sigmoid())), // pub fn sigmoid(&self) -> Tensor
        ("gelu", |a| wrap(get(a).gelu())), // pub fn gelu(&self) -> Tensor
        ("sum", |a| wrap(get(a).sum())), // pub fn sum(&self) -> Tensor
        ("mean", |a| wrap(get(a).mean())), // pub fn mean(&self) -> Tensor
        ("max", |a| wrap(get(a).max())), // pub fn max(&self) -> Tensor
        ("transpose", |a| wrap(get(a).transpose())), // pub fn transpose(&self) -> Tensor
        ("softmax", |a| wrap(get(a).softmax())), // pub fn softmax(&self) -> Tensor
        ("log_softmax", |a| wrap(get(a).log_softmax())), // pub fn log_softmax(&self) -> Tensor
    ],
    two: &[
        ("mul", |a, b| wrap(get(a).mul(get(b)))), // pub fn mul(&self, other: &Tensor) -> Tensor
        ("add", |a, b| wrap(get(a).add(get(b)))), // pub fn add(&self, other: &Tensor) -> Tensor
        ("sub", |a, b| wrap(get(a).sub(get(b)))), // pub fn sub(&self, other: &Tensor) -> Tensor
        ("div", |a, b| wrap(get(a).div(get(b)))), // pub fn div(&self, other: &Tensor) -> Tensor
        ("matmul", |a, b| wrap(get(a).matmul(get(b)))), // pub fn matmul(&self, other: &Tensor) -> Tensor
    ],
    over: &[
        ("sum_over", |a, axes, keep| wrap(get(a).sum_over(axes, keep))), // pub fn sum_over(&self, axes: &[usize], keep: Keep) -> Tensor
        ("mean_over", |a, axes, keep| wrap(get(a).mean_over(axes, keep))), // pub fn mean_over(&self, axes: &[usize], keep: Keep) -> Tensor
        ("max_over", |a, axes, keep| wrap(get(a).max_over(axes, keep))), // pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor
    ],
    many: &[
        ("reshape", |a, shape| wrap(get(a).reshape(shape))), // pub fn reshape(&self, shape: &[usize]) -> Tensor
        ("cross_entropy", |a, labels| wrap(get(a).cross_entropy(labels))), // pub fn cross_entropy(&self, labels: &[usize]) -> Tensor
    ],
    pow: |a, number| wrap(get(a).pow(number)), // pub fn pow(&self, number: f32) -> Tensor
    network: network::new,
    forward: network::forward,
    parameters: network::parameters,
    step: network::step,
};

/// Stand-ins for functions that are not written yet. An inherent method takes
/// precedence over a trait method, so each is used only until the reader
/// defines a method of the same name.
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

/// The reader's network. If the type does not exist yet, the name resolves to
/// the empty type in `absent`.
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
            super::wrap(network.forward(super::get(x))) // pub fn forward(&self, x: &Tensor) -> Tensor
        }
    }

    pub(super) fn parameters(network: &Handle) -> Vec<Handle> {
        #[allow(unused_imports)]
        use absent::*;
        {
            #[allow(unused_imports)]
            use super::super::yours::*;
            let network: &Network = &network.get::<RefCell<Network>>().borrow();
            super::wrap_all(network.parameters()) // pub fn parameters(&self) -> Vec<Tensor>
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
