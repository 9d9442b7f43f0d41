//! Part 3: one tensor on every device. Chapters 21 to 28 build it.
//!
//! Reading order: a [`Device`] holds a [`Storage`]; an [`Array`] looks at it
//! through a [`View`]; a [`Backend`] computes few primitives on arrays; a
//! [`Function`] ties a primitive to its gradient; a [`Tensor`] is an array
//! with, where gradients are wanted, a node of the graph; what learns is a
//! [`Module`](nn::Module), and [`Sgd`](optim::Sgd) is who teaches it.

mod arithmetic;
mod array;
mod backend;
mod backward;
mod data;
mod device;
mod function;
mod functions;
pub mod nn;
mod operators;
mod ops;
pub mod optim;
mod places;
mod storage;
mod tensor;
mod view;

pub use array::Array;
pub use backend::{Backend, Binary, Reduce, Unary};
pub use backward::grad;
pub use data::Data;
pub use device::{Device, Own};
pub use function::{Context, Function, apply, no_grad, trace};
pub use functions::{
    Add, Cat, Cos, Div, Exp, Expand, Flip, Fold, Gather, Log, LogSoftmax,
    Matmul, Max, Move, Mul, Over, Pad, Permute, Pow, Relu, Reshape, Scale,
    Scatter, Shift, Sigmoid, Sin, Slice, Sum, Tanh, Under, Where, Windows,
};
pub use storage::{Shared, Storage};
pub use tensor::Tensor;
pub use view::{View, Window};
