//! The tensor of Part 3, built from "One tensor, two devices" to "Function and
//! its context".

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use super::function::Node;
use super::number::{Element, with_type};
use super::{Array, DType, Device, Op};
use crate::checks;
use crate::error::{Result, mistake};
use crate::shape::nested_of;

// ANCHOR: tensor
/// An array on a device and, where a gradient is wanted, its place in the
/// graph. Clones share both. What operations refuse they say in a panic, of
/// which [`attempt`](crate::attempt) makes an [`Error`](crate::Error).
#[derive(Clone)]
pub struct Tensor {
    pub(super) array: Array,
    pub(super) node: Option<Arc<Node>>,
}
// ANCHOR_END: tensor

// A panic breaks nothing that a tensor shares: arrays and nodes stay as they were
// made, and a leaf has the whole gradient of a sweep that was cut short, or none.
impl UnwindSafe for Tensor {}
impl RefUnwindSafe for Tensor {}

impl Tensor {
    /// Makes a tensor with these elements in row-major order.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// assert_eq!(x.to_vec()?, [1., 2., 3., 4., 5., 6.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the elements do not fill the shape, there is no such device, or it
    /// has no room.
    #[doc(alias = "tensor")]
    #[doc(alias = "from_vec")]
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::new(shape, values, device)?))
    }

    /// Makes a tensor with elements of any type: `f32`, `f64`, or
    /// [`F16`](crate::half::F16). A literal without a type would be `f64`, so
    /// [`Tensor::new`] takes `f32` alone.
    ///
    /// ```
    /// # use rungrad::part3_unified::{DType, Device, Tensor};
    /// let x = Tensor::of(&[2], &[0.1_f64, 0.2], Device::Cpu)?;
    /// assert_eq!(x.dtype(), DType::F64);
    /// assert_eq!((&x + 0.1).to_vec_of::<f64>()?, [0.2, 0.2 + 0.1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::new`], or if the device has no such numbers.
    pub fn of<T: Element>(
        shape: &[usize],
        values: &[T],
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::of(shape, values, device)?))
    }

    /// Makes a leaf of the same numbers that keeps its gradient; such a leaf
    /// is returned as it is. What was computed from one is refused: a leaf of
    /// it would cut the way back in silence.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// let y = &x * &x;
    /// y.backward();
    /// assert_eq!(x.grad().unwrap().item()?, 6.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor is the result of an operation that was recorded.
    #[doc(alias = "requires_grad_")]
    #[track_caller]
    pub fn requires_grad(self) -> Tensor {
        match self.node.as_ref().map(|node| node.creator()) {
            Some(Some((function, _))) => mistake(format!(
                "requires_grad: this tensor is the result of {}, and a leaf \
                 would cut it off from what it was computed from; call \
                 .detach() first if that is meant",
                function.op()
            )),
            Some(None) => self,
            None => {
                let node = Some(Node::leaf(&self.array));
                Tensor { array: self.array, node }
            }
        }
    }

    /// Takes the numbers out of the graph, without a way back.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// let y = &x * &x.detach();
    /// y.backward();
    /// assert_eq!(x.grad().unwrap().item()?, 3.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn detach(&self) -> Tensor {
        Tensor::from(self.array.clone())
    }

    /// Returns the numbers and how they are walked.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[0.0; 6], Device::Cpu)?;
    /// assert_eq!(x.array().strides(), [3, 1]);
    /// assert_eq!(x.transpose().array().strides(), [1, 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Returns the size along each axis.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert_eq!(Tensor::zeros(&[2, 3], Device::Cpu)?.shape(), [2, 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "size")]
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// Counts the axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert_eq!(Tensor::zeros(&[2, 3], Device::Cpu)?.rank(), 2);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "dim")]
    #[doc(alias = "ndim")]
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Counts the elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert_eq!(Tensor::zeros(&[2, 3], Device::Cpu)?.len(), 6);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "numel")]
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Says whether there is no element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert!(Tensor::zeros(&[2, 0], Device::Cpu)?.is_empty());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// Returns the device that holds the numbers.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3], Device::Cpu)?;
    /// assert_eq!(x.device(), Device::Cpu);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.array.device()
    }

    /// Computes the elements now, where a lazy device has put that off. What is
    /// read, or multiplied as a matrix, is computed anyway.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::FusedCpu)?;
    /// let y = &x * &x + 1.0;
    /// y.realize()?;
    /// assert_eq!(y.to_vec()?, [2.0, 5.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device refuses.
    pub fn realize(&self) -> Result<()> {
        self.array.realize()
    }

    /// Returns the type of the numbers.
    ///
    /// ```
    /// # use rungrad::part3_unified::{DType, Device, Tensor};
    /// let x = Tensor::zeros(&[2, 3], Device::Cpu)?;
    /// assert_eq!(x.dtype(), DType::F32);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.array.dtype()
    }

    /// Copies the elements to the host, in row-major order: those of an `f32`
    /// or an `f16`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
    /// assert_eq!(x.transpose().to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device refuses to be read, the host has no room, or the elements
    /// are `f64` and would be rounded.
    #[doc(alias = "tolist")]
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        self.array.to_vec()
    }

    /// Copies the elements to the host as a type into which they fit.
    ///
    /// ```
    /// # use rungrad::part3_unified::{DType, Device, Tensor};
    /// let third = Tensor::of(&[1], &[1.0_f64 / 3.0], Device::Cpu)?;
    /// assert_eq!(third.to_vec_of::<f64>()?, [1.0 / 3.0]);
    /// let half = third.to_dtype(DType::F16)?;
    /// assert_eq!(half.to_vec_of::<f64>()?, [0.333251953125]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device refuses to be read, the host has no room, or the elements
    /// would be rounded.
    pub fn to_vec_of<T: Element>(&self) -> Result<Vec<T>> {
        self.array.to_vec_of()
    }

    /// Reads the only element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.sum().item()?, 3.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are more elements or none, or the device refuses to be read.
    pub fn item(&self) -> Result<f32> {
        self.item_of()
    }

    /// Reads the only element as a type into which it fits.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::of(&[2], &[0.1_f64, 0.2], Device::Cpu)?;
    /// assert_eq!(x.sum().item_of::<f64>()?, 0.1 + 0.2);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are more elements or none, the device refuses to be read, or
    /// the element would be rounded.
    pub fn item_of<T: Element>(&self) -> Result<T> {
        checks::only_element("item", self.shape())?;
        Ok(self.to_vec_of()?[0])
    }

    /// Returns what backward has added up here so far; only leaves keep it.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// assert!(x.grad().is_none());
    /// (&x * 5.0).backward();
    /// assert_eq!(x.grad().unwrap().item()?, 5.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn grad(&self) -> Option<Tensor> {
        self.node.as_ref()?.grad()?.clone()
    }

    /// Forgets the gradient, so that the next backward starts anew.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// (&x * 5.0).backward();
    /// x.zero_grad();
    /// assert!(x.grad().is_none());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn zero_grad(&self) {
        if let Some(mut grad) = self.node.as_ref().and_then(|n| n.grad()) {
            *grad = None;
        }
    }

    /// Says whether backward reaches this tensor: it requires a gradient, or
    /// was computed from one that does.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?;
    /// assert!(!x.records());
    /// let leaf = x.requires_grad();
    /// assert!(leaf.records() && (&leaf * 5.0).records());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn records(&self) -> bool {
        self.node.is_some()
    }

    /// Returns the number of this tensor's node, if it has one.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?;
    /// assert_eq!(x.id(), None);
    /// let leaf = x.requires_grad();
    /// assert_eq!(leaf.id(), leaf.clone().id());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn id(&self) -> Option<u64> {
        self.node.as_ref().map(|node| node.id)
    }
}

impl From<Array> for Tensor {
    fn from(array: Array) -> Tensor {
        Tensor { array, node: None }
    }
}

/// Nested rows, the gradient, the shape, the device, the type where it is not
/// `f32`, and whether it records.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |t: &Tensor| {
            let words = with_type!(t.dtype(), T => {
                let values = t.to_vec_of::<T>();
                values.map(|values| nested_of(t.shape(), &values))
            });
            words.unwrap_or_else(|error| format!("({error})"))
        };
        let grad = self.grad().map_or("none".to_string(), |g| show(&g));
        let (data, shape, device) = (show(self), self.shape(), self.device());
        let records = if self.records() { ", records" } else { "" };
        let dtype = match self.dtype() {
            DType::F32 => String::new(),
            other => format!(", {other}"),
        };
        write!(
            f,
            "<Tensor with data: {data}, grad: {grad}, shape: {shape:?}, on \
             {device}{dtype}{records}>"
        )
    }
}

/// What it is and where, without a look at the device.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let creator = self.node.as_ref().map(|node| node.creator());
        let op = match creator {
            None => Op::Constant,
            Some(None) => Op::Leaf,
            Some(Some((function, _))) => function.op(),
        };
        f.debug_struct("Tensor")
            .field("shape", &self.shape())
            .field("strides", &self.array.strides())
            .field("device", &self.device())
            .field("dtype", &self.dtype())
            .field("op", &op)
            .finish()
    }
}
