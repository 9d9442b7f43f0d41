//! Part 3: one tensor on every device. The chapters from "One tensor, two
//! devices" on build it.
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

mod arithmetic;
mod array;
mod backend;
mod backward;
mod creation;
mod data;
mod device;
mod function;
pub mod functions;
mod indexing;
pub mod io;
pub mod kernels;
pub mod nn;
mod operators;
pub mod optim;
mod storage;
mod tensor;
mod view;

pub use array::Array;
pub use backend::{Backend, Binary, Reduce, Unary};
pub use backward::{grad, grad_with};
pub use data::Data;
pub use device::{Custom, Device};
pub use function::{
    Context, Function, Gradients, apply, no_grad, trace, try_apply,
};
pub use functions::ConvOptions;
pub use storage::{DType, Shared, Storage};
pub use tensor::Tensor;
pub use view::View;

pub use crate::ops::{Keep, Op};
pub use crate::shape::{Span, Spans, Window, broadcast};
