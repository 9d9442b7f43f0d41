//! The tensor of Part 3, built in chapters 21 to 23.

use std::fmt;
use std::sync::Arc;

use super::function::Node;
use super::{Add, Array, Device, Exp, Expand, Move, Mul, Sum, apply};
use crate::error::{Error, attempt};
use crate::shape::list;

/// An array on a device and, where a gradient is wanted, its place in the
/// graph. Clones share both.
#[derive(Clone)]
pub struct Tensor {
    pub(super) array: Array,
    pub(super) node: Option<Arc<Node>>,
}

impl Tensor {
    /// A tensor with these elements in row-major order.
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Tensor, Error> {
        Ok(Tensor::from(Array::new(shape, values, device)?))
    }

    /// The same numbers as a leaf that keeps its gradient.
    pub fn requires_grad(self) -> Tensor {
        Tensor { array: self.array, node: Some(Node::leaf()) }
    }

    /// The same numbers without a way back.
    pub fn detach(&self) -> Tensor {
        Tensor::from(self.array.clone())
    }

    /// The numbers and how they are walked.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// The size along each axis.
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// The device that holds the numbers.
    pub fn device(&self) -> Device {
        self.array.device()
    }

    /// The elements in row-major order, on the host.
    pub fn to_vec(&self) -> Result<Vec<f32>, Error> {
        self.array.to_vec()
    }

    /// What backward has added up here so far; only leaves keep it.
    pub fn grad(&self) -> Option<Tensor> {
        self.node.as_ref()?.grad().clone()
    }

    /// Forgets the gradient, so that the next backward starts anew.
    pub fn zero_grad(&self) {
        if let Some(node) = &self.node {
            *node.grad() = None;
        }
    }

    /// The number of this tensor's node, if it has one.
    pub fn id(&self) -> Option<u64> {
        self.node.as_ref().map(|node| node.id)
    }
}

impl From<Array> for Tensor {
    fn from(array: Array) -> Tensor {
        Tensor { array, node: None }
    }
}

// ANCHOR: operations
// The operations: each hands a function to `apply`, and `apply` does the
// rest for every device.
impl Tensor {
    /// The elementwise product of two equal shapes.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        apply(Mul, &[self, other])
    }

    /// The elementwise sum of two equal shapes.
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        apply(Add, &[self, other])
    }
}
// ANCHOR_END: operations

impl Tensor {
    /// The exponential of each element.
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        apply(Exp, &[self])
    }

    /// The sum of all elements, a tensor of one element and no axes.
    #[track_caller]
    pub fn sum(&self) -> Tensor {
        self.sum_to(&[])
    }

    /// The elements repeated along axes of size 1 and along new axes in
    /// front.
    #[track_caller]
    pub fn expand(&self, shape: &[usize]) -> Tensor {
        let (shape, from) = (shape.to_vec(), self.shape().to_vec());
        apply(Expand { shape, from }, &[self])
    }

    /// The sum over each axis along which `shape` is shorter: the mirror of
    /// [`Tensor::expand`].
    #[track_caller]
    pub fn sum_to(&self, shape: &[usize]) -> Tensor {
        let (shape, from) = (shape.to_vec(), self.shape().to_vec());
        apply(Sum { shape, from }, &[self])
    }

    /// The same tensor on another device; its gradient travels back.
    pub fn to(&self, device: Device) -> Result<Tensor, Error> {
        let from = self.device();
        attempt(|| apply(Move { to: device, from }, &[self]))
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |t: &Tensor| match t.to_vec() {
            Ok(values) => list(&values),
            Err(error) => format!("({error})"),
        };
        let grad = self.grad().map_or("none".to_string(), |g| show(&g));
        let (data, device) = (show(self), self.device());
        write!(f, "<Tensor with data: {data}, grad: {grad}, on {device}>")
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
