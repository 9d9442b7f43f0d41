//! The tensor type of Part 3, built in the chapters from "One tensor, two
//! devices" to "Function and its context".

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use super::function::Node;
use super::number::{Element, with_type};
use super::{Array, DType, Device, Op};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::shape::nested;

// ANCHOR: tensor
/// An array on a device and, if it needs a gradient, its node in the graph.
/// Clones share both. Operations panic on invalid input;
/// [`attempt`](crate::attempt) turns the panic into an
/// [`Error`](crate::Error).
#[derive(Clone)]
#[must_use = "an operation returns a new tensor"]
pub struct Tensor {
    pub(super) array: Array,
    pub(super) node: Option<Arc<Node>>,
}
// ANCHOR_END: tensor

// A panic cannot leave shared state inconsistent: arrays and nodes are
// immutable, and a leaf's gradient is either complete or absent after an
// interrupted backward pass.
impl UnwindSafe for Tensor {}
impl RefUnwindSafe for Tensor {}

impl Tensor {
    /// Creates an `f32` tensor from its elements in row-major order.
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
    /// If the number of elements does not match the shape, there is no such
    /// device, or the device is out of memory.
    #[doc(alias = "tensor")]
    #[doc(alias = "from_vec")]
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::new(shape, values, device)?))
    }

    /// Creates a tensor with elements of any supported type: `f32`, `f64`, or
    /// [`F16`](crate::half::F16). [`Tensor::new`] takes `f32` only, because a
    /// float literal without a suffix would be inferred as `f64` here.
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
    /// As [`Tensor::new`], or if the device does not support the type.
    pub fn of<T: Element>(
        shape: &[usize],
        values: &[T],
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::of(shape, values, device)?))
    }

    /// Returns a leaf with the same elements that accumulates a gradient; a
    /// tensor that already is one is returned unchanged. The result of a
    /// recorded operation is rejected, because a new leaf would silently cut
    /// off the graph it came from.
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
    /// If the tensor is the result of a recorded operation.
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

    /// Returns a tensor with the same elements and no graph: no gradient flows
    /// through it.
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

    /// Returns the underlying array: storage and view.
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

    /// Returns the size of each axis.
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

    /// Returns the number of axes.
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

    /// Returns the number of elements.
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

    /// Returns `true` if the tensor is empty.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert!(Tensor::zeros(&[2, 0], Device::Cpu)?.is_empty());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// Returns the device that holds the elements.
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

    /// Forces evaluation on a lazy device. Reading a tensor, or using it in a
    /// matmul, evaluates it anyway.
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
    /// If the device fails.
    pub fn realize(&self) -> Result<()> {
        self.array.realize()
    }

    /// Returns the element type.
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

    /// Copies the elements to the host in row-major order. `F16` elements are
    /// widened to `f32`.
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
    /// If the device cannot be read, the host is out of memory, or the
    /// elements are `f64`, which would have to be rounded.
    #[doc(alias = "tolist")]
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        self.array.to_vec()
    }

    /// Copies the elements to the host as `T`, which must hold every value
    /// exactly.
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
    /// If the device cannot be read, the host is out of memory, or the
    /// elements would have to be rounded.
    pub fn to_vec_of<T: Element>(&self) -> Result<Vec<T>> {
        self.array.to_vec_of()
    }

    /// Returns the value of a tensor with exactly one element.
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
    /// If there is not exactly one element, or the device cannot be read.
    pub fn item(&self) -> Result<f32> {
        self.item_of()
    }

    /// Returns the value of a tensor with exactly one element as `T`, which
    /// must hold it exactly.
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
    /// If there is not exactly one element, the device cannot be read, or the
    /// element would have to be rounded.
    pub fn item_of<T: Element>(&self) -> Result<T> {
        checks::only_element("item", self.shape())?;
        Ok(self.to_vec_of()?[0])
    }

    /// Returns the gradient accumulated so far, or `None` before the first
    /// backward pass. Only leaves store a gradient.
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

    /// Clears the gradient, so that the next backward pass starts from zero.
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

    /// Replaces the gradient.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// x.set_grad(Tensor::new(&[1], &[5.0], Device::Cpu)?);
    /// assert_eq!(x.grad().unwrap().item()?, 5.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If this tensor is not a leaf, or the gradient has a different shape,
    /// device or type.
    #[track_caller]
    pub fn set_grad(&self, grad: Tensor) {
        or_raise(self.array.check_pair("set_grad", &grad.array));
        let Some(mut slot) = self.node.as_ref().and_then(|n| n.grad()) else {
            mistake(
                "set_grad: only a leaf stores a gradient; call \
                 .requires_grad() on the tensor"
                    .to_string(),
            )
        };
        *slot = Some(grad.detach());
    }

    /// Returns `true` if the tensor is part of a graph: it requires a
    /// gradient, or it was computed from a tensor that does.
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

    /// Returns the operation that computed this tensor. A tensor outside the
    /// graph is a constant.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Op, Tensor};
    /// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
    /// assert_eq!((x.op(), (&x * &x).op()), (Op::Leaf, Op::Mul));
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn op(&self) -> Op {
        match self.node.as_ref().map(|node| node.creator()) {
            None => Op::Constant,
            Some(None) => Op::Leaf,
            Some(Some((function, _))) => function.op(),
        }
    }

    /// Returns the id of this tensor's node in the graph, or `None` if it has
    /// no node.
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

/// Prints the elements as nested rows, the gradient, the shape, the device,
/// the type unless it is `f32`, and whether the tensor is part of a graph. A
/// precision sets the number of decimals: `{x:.2}`.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |t: &Tensor| {
            let words = with_type!(t.dtype(), T => {
                let values = t.to_vec_of::<T>();
                values.map(|v| nested(t.shape(), &v, f.precision()))
            });
            let words = words.unwrap_or_else(|error| format!("({error})"));
            match words.contains('\n') {
                true => format!("\n{words}"),
                false => format!(" {words}"),
            }
        };
        let grad = self.grad().map_or(" none".to_string(), |g| show(&g));
        let (data, shape, device) = (show(self), self.shape(), self.device());
        let records = if self.records() { ", records" } else { "" };
        let dtype = match self.dtype() {
            DType::F32 => String::new(),
            other => format!(", {other}"),
        };
        write!(
            f,
            "<Tensor with data:{data}, grad:{grad}, shape: {shape:?}, on \
             {device}{dtype}{records}>"
        )
    }
}

/// Prints the metadata only, so that debug output never reads from the device.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("shape", &self.shape())
            .field("strides", &self.array.strides())
            .field("device", &self.device())
            .field("dtype", &self.dtype())
            .field("op", &self.op())
            .finish()
    }
}
