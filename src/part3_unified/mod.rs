//! Part 3: one tensor type for every device, built in the chapters from "One
//! tensor, two devices" on.
//!
//! This program fits a line through points on a device that you choose by
//! name:
//!
//! ```
//! use rungrad::nn::{Linear, Module, Parameters};
//! use rungrad::optim::{Optimizer, Sgd};
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
//! To add an operation, implement [`Function`]: how to compute the result, and
//! how to compute the gradients of its inputs. If the gradient is written with
//! tensor operations, the function runs on every device and can be
//! differentiated again:
//!
//! ```
//! use rungrad::part3_unified::{
//!     Array, Binary, Context, Device, Function, Gradients, Op, Tensor, Unary,
//!     apply, grad,
//! };
//!
//! /// x e^x, whose derivative is e^x + x e^x.
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
//! // Compares the gradient with finite differences.
//! rungrad::gradcheck(|x| apply(XExp, &[&x[0]]), &[&x])?;
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! Contents: [`Tensor`] has a method for each operation; the sources
//! of [`functions`] contain their gradients. [`nn`](crate::nn) has the layers of neural
//! networks, [`optim`](crate::optim) the optimizers, and [`io`](crate::io) reads and writes weight
//! files. Implement [`Backend`] to add a device. [`memory`](crate::memory) reports how many
//! bytes each part of a model uses during a training step.
//!
//! Reading order: a [`Device`] names the place of a [`Storage`] of elements. An
//! [`Array`] accesses a storage through a [`View`]. A [`Backend`] computes a
//! small set of primitives on arrays. A [`Function`] combines a forward computation with
//! its gradient. A [`Tensor`] is an array and, if it needs a gradient, a node
//! of the graph. A [`Module`](crate::nn::Module) has trainable parameters, an
//! [`Optimizer`](crate::optim::Optimizer) updates them, and [`io`](crate::io) saves them.
//!
//! Functions that create or read a tensor return a `Result`, because the
//! device may fail. Operations return a plain tensor, so that code reads like
//! the formula. If an operation fails, it panics at the caller's line;
//! [`attempt`](crate::attempt) turns the panic into an error.
//!
//! The operators `+`, `-`, `*`, `/` and `+=` accept tensors, owned or
//! borrowed, and numbers of type `f32`, `f64` or `i32`. On the left of a tensor
//! only `f64` and `i32` are accepted: with two types of floats, Rust could not
//! infer the type of the literal in `(2.0 * &x).exp()`. Write `&x * k` or
//! `f64::from(k) * &x` for an `f32`. Don't import `std::ops::Mul` into a file that
//! calls `a.mul(&b)`: method lookup prefers methods that take `self` by value,
//! so the call would resolve to the trait's method and move `a`. The same
//! holds for `Add`, `Sub`, `Div` and `Neg`.

// Rustdoc lists the methods of `Tensor` in the order of these modules.
mod tensor;

pub mod functions;

mod backward;

mod arithmetic;
mod array;
mod backend;
mod caller;
#[doc(hidden)]
pub mod defaults;
mod device;
mod function;
mod number;
mod operators;
mod plain_cpu;
#[cfg(feature = "opencl")]
#[doc(hidden)]
pub mod plain_opencl;
mod record;
mod storage;
mod view;

pub use arithmetic::check_same_kind;
pub use array::{Array, PendingRead};
pub use backend::{AdamStep, Backend, Binary, Reduce, Unary, downcast};
pub use backward::{grad, grad_with};
pub use caller::caller;
pub use device::{Custom, Device};
pub use function::{
    Context, Function, Gradients, apply, enable_grad, no_grad, trace, try_apply,
};
#[doc(no_inline)]
pub use number::with_type;
pub use number::{Element, Real};
pub use storage::{DType, Shared, Storage};
pub use tensor::Tensor;
pub use view::{Runs, View, runs};

pub use crate::half::F16;
pub use crate::ops::{Keep, Op};
pub use crate::shape::{Axis, Span, Spans, Window};

#[doc(hidden)]
pub use {
    crate::shape::broadcast, backend::truth, number::converted,
    record::saved_storages, view::joined,
};
