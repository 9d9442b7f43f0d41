//! Part 3: one tensor on every device. The chapters from "One tensor, two
//! devices" on build it.
//!
//! A line through points, on whichever device you name:
//!
//! ```
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::optim::{Optimizer, Sgd};
//! use rungrad::part3_unified::{Device, Tensor};
//! use rungrad::rng::Random;
//!
//! let device = Device::Cpu; // or Device::Gpu(0)
//! let x = Tensor::linspace(-1.0, 1.0, 50, device)?.reshape(&[50, 1]);
//! let y = &x * 3.0 + 0.5;
//! let mut line = Linear::new(1, 1, &mut Random::new(0));
//! line.to(device)?;
//! let mut sgd = Sgd::new(0.2, 0.5);
//! for _ in 0..100 {
//!     line.forward(&x).mse(&y).backward();
//!     sgd.step(line.parameters_mut());
//! }
//! assert!((line.weight.item()? - 3.0).abs() < 1e-3);
//! assert!((line.bias.item()? - 0.5).abs() < 1e-3);
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! An operation of your own is a [`Function`]: how to compute it, and how its
//! gradient flows. Written with operations of tensors, it runs on every device
//! and has slopes of its slopes:
//!
//! ```
//! use rungrad::part3_unified::{
//!     Array, Binary, Context, Device, Function, Gradients, Op, Tensor, Unary,
//!     apply, grad,
//! };
//!
//! /// x e^x, whose slope is e^x + x e^x.
//! struct XExp;
//!
//! impl Function for XExp {
//!     fn op(&self) -> Op {
//!         Op::Custom("x_exp")
//!     }
//!
//!     fn forward(
//!         &self,
//!         ctx: &mut Context,
//!         inputs: &[&Array],
//!     ) -> rungrad::Result<Array> {
//!         ctx.save_input(0, inputs[0]);
//!         inputs[0].binary(Binary::Mul, &inputs[0].unary(Unary::Exp)?)
//!     }
//!
//!     fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
//!         let e = ctx.input(0).exp();
//!         vec![Some(grad_out * (&e + apply(XExp, &[&ctx.input(0)])))]
//!     }
//! }
//!
//! let x = Tensor::new(&[1], &[0.0], Device::Cpu)?.requires_grad();
//! let y = apply(XExp, &[&x]);
//! let first = grad(&[&y], &[&x], true).remove(0);
//! let second = grad(&[&first], &[&x], false).remove(0);
//! assert_eq!((first.item()?, second.item()?), (1.0, 2.0));
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! What there is: [`Tensor`] with a method for each operation, listed with
//! their gradients in [`functions`]; networks in [`nn`]; what trains them in
//! [`optim`]; files of weights in [`io`]; a device of your own by [`Backend`];
//! where the bytes of a step are, by [`memory`].
//!
//! Reading order: a [`Device`] holds a [`Storage`]; an [`Array`] looks at it
//! through a [`View`]; a [`Backend`] computes few primitives on arrays; a
//! [`Function`] ties a primitive to its gradient; a [`Tensor`] is an array
//! with, where gradients are wanted, a node of the graph; what learns is a
//! [`Module`](nn::Module), an [`Optimizer`](optim::Optimizer) teaches it, and
//! [`io`] keeps what it has learned.
//!
//! What makes a tensor, and what reads one, gives a `Result`, because a
//! device may refuse it. An operation has none, so that a formula reads as
//! one: it panics at the caller's line, and [`attempt`](crate::attempt) turns
//! that into an error again.
//!
//! The signs `+`, `-`, `*`, `/` and `+=` work between tensors, owned or
//! borrowed, and numbers. Where the trait `std::ops::Mul` is imported,
//! `a.mul(&b)` means its method and moves `a`: Rust looks for methods that
//! take a value before those that borrow one. So leave `Add`, `Sub`, `Mul`,
//! `Div` and `Neg` out of a file that calls these methods by name.

// The documentation of `Tensor` lists its methods in the order of these.
mod tensor;

mod creation;
mod data;

pub mod functions;

mod backward;

mod arithmetic;
mod array;
mod backend;
mod caller;
mod device;
mod function;
mod indexing;
pub mod io;
pub mod kernels;
pub mod memory;
pub mod nn;
mod number;
mod operators;
pub mod optim;
mod record;
mod storage;
pub mod tuning;
mod view;

pub use array::Array;
pub use backend::{AdamStep, Backend, Binary, Reduce, Unary};
pub use backward::{grad, grad_with};
pub use data::Data;
pub use device::{Custom, Device};
pub use function::{
    Context, Function, Gradients, apply, enable_grad, no_grad, trace, try_apply,
};
#[doc(inline)]
pub use functions::ConvOptions;
pub use number::{Element, Real};
pub use storage::{DType, Shared, Storage};
pub use tensor::Tensor;
pub use view::View;

pub use crate::half::F16;
pub use crate::ops::{Keep, Op};
pub use crate::shape::{Span, Spans, Window, broadcast};
