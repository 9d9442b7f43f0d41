//! The tensor of Part 3, built in chapters 21 to 23.

use std::fmt;
use std::sync::Arc;

use super::function::Node;
use super::{Array, Data, Device, Move, apply};
use crate::error::{Error, attempt, mistake, room};
use crate::rng::Random;
use crate::shape::{checked_size, list};

// ANCHOR: tensor
/// An array on a device and, where a gradient is wanted, its place in the
/// graph. Clones share both.
#[derive(Clone)]
pub struct Tensor {
    pub(super) array: Array,
    pub(super) node: Option<Arc<Node>>,
}
// ANCHOR_END: tensor

impl Tensor {
    /// A tensor with these elements in row-major order.
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Tensor, Error> {
        Ok(Tensor::from(Array::new(shape, values, device)?))
    }

    /// A tensor of a shape, of numbers that may lie elsewhere: a list, an
    /// ndarray, a buffer of a device.
    pub fn from_data(
        shape: &[usize],
        data: impl Into<Data>,
        device: Device,
    ) -> Result<Tensor, Error> {
        Ok(Tensor::from(Array::from_data(shape, data, device)?))
    }

    /// One value everywhere.
    pub fn full(
        shape: &[usize],
        value: f32,
        device: Device,
    ) -> Result<Tensor, Error> {
        Ok(Tensor::from(Array::full(shape, value, device)?))
    }

    /// Random numbers from 0 to below 1. A seed gives the same ones on every
    /// device.
    pub fn rand(
        shape: &[usize],
        seed: u64,
        device: Device,
    ) -> Result<Tensor, Error> {
        Ok(Tensor::from(Array::uniform(shape, seed, device)?))
    }

    /// Random numbers around 0 with standard deviation 1. They are made on
    /// the host, because the logarithms of two devices may differ.
    pub fn randn(
        shape: &[usize],
        random: &mut Random,
        device: Device,
    ) -> Result<Tensor, Error> {
        let n = checked_size(shape)?;
        let mut values = room(n)?;
        values.extend((0..n).map(|_| random.normal()));
        Tensor::new(shape, &values, device)
    }

    /// The same numbers as a leaf that keeps its gradient; such a leaf is
    /// returned as it is. What was computed from one is refused: a leaf of it
    /// would cut the way back in silence.
    #[track_caller]
    pub fn requires_grad(self) -> Tensor {
        match self.node.as_ref().map(|node| &node.made) {
            Some(Some((function, _))) => mistake(format!(
                "requires_grad: this tensor is the result of {}, and a leaf \
                 would cut it off from what it was computed from; call \
                 .detach() first if that is meant",
                function.name()
            )),
            Some(None) => self,
            None => Tensor { array: self.array, node: Some(Node::leaf()) },
        }
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

impl Tensor {
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
