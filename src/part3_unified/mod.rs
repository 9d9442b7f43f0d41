//! Part 3: one tensor on every device. Chapters 21 to 28 build it.
//!
//! Reading order: a [`Device`] holds a [`Storage`]; an [`Array`] looks at it
//! through shape, strides and offset; a [`Backend`] computes few primitives
//! on arrays; a [`Function`] ties a primitive to its gradient; a [`Tensor`]
//! is an array with, where gradients are wanted, a node of the graph.

mod array;
mod backend;
mod backward;
mod device;
mod function;
mod functions;
mod storage;
mod tensor;

pub use array::Array;
pub use backend::{Backend, Binary, Unary};
pub use backward::grad;
pub use device::Device;
pub use function::{Context, Function, apply, no_grad, trace};
pub use functions::{Add, Exp, Expand, Move, Mul, Sum};
pub use storage::Storage;
pub use tensor::Tensor;
