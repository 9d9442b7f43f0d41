//! Operations that rearrange elements or move them to another device. On one
//! device, most of them are views and move no data.

use super::super::{Array, Context, DType, Device, Function};
use super::super::{Gradients, Tensor};
use super::super::{apply, try_apply};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::{Keep, Op};
use crate::shape::{Axis, broadcast, broadcast_axes};

impl Tensor {
    /// Returns a tensor with the same elements, in row-major order, in a new
    /// shape.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.reshape(&[3, 2]).shape(), [3, 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the new shape has a different number of elements.
    #[track_caller]
    #[doc(alias = "view")]
    pub fn reshape(&self, shape: &[usize]) -> Tensor {
        apply(Reshape(shape.to_vec()), &[self])
    }
}

/// A reshape; the gradient is reshaped back.
pub struct Reshape(pub Vec<usize>);

impl Function for Reshape {
    fn op(&self) -> Op {
        Op::Reshape(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].reshape(&self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.reshape(ctx.shape(0)))]
    }
}

impl Tensor {
    /// Swaps the last two axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.transpose().to_vec()?, [1., 4., 2., 5., 3., 6.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    #[track_caller]
    #[doc(alias = "mT")]
    pub fn transpose(&self) -> Tensor {
        or_raise(checks::two_axes("transpose", self.shape()));
        let mut axes = self.axes();
        let count = axes.len();
        axes.swap(count - 2, count - 1);
        self.permute(&axes)
    }

    /// Reorders the axes: axis `i` of the result is axis `axes[i]` of this
    /// tensor.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 2, 3], &[0.; 6], Device::Cpu)?;
    /// assert_eq!(x.permute(&[2, 0, 1]).shape(), [3, 1, 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `axes` does not name each axis once.
    #[track_caller]
    pub fn permute(&self, axes: &[impl Axis]) -> Tensor {
        let axes = axes.iter();
        let axes =
            axes.map(|&axis| checks::axis("permute", self.shape(), axis));
        let axes = or_raise(axes.collect::<Result<Vec<_>>>());
        apply(Permute(axes), &[self])
    }
}

/// A permutation of the axes: axis `i` of the result is axis `self.0[i]` of
/// the operand. The gradient is permuted back.
pub struct Permute(pub Vec<usize>);

impl Function for Permute {
    fn op(&self) -> Op {
        Op::Permute(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].permute(&self.0)
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        let mut back: Vec<usize> = (0..self.0.len()).collect();
        back.sort_by_key(|&axis| self.0[axis]);
        vec![Some(grad_out.permute(&back))]
    }
}

impl Tensor {
    /// Repeats the elements along axes of size 1 and along new leading axes,
    /// without copying them.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let row = Tensor::new(&[2], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(row.expand(&[2, 2]).to_vec()?, [1., 2., 1., 2.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the sizes, aligned at the right, are neither equal nor 1.
    #[track_caller]
    #[doc(alias = "broadcast_to")]
    pub fn expand(&self, shape: &[usize]) -> Tensor {
        match shape == self.shape() {
            true => self.clone(),
            false => apply(Expand(shape.to_vec()), &[self]),
        }
    }
}

// ANCHOR: expand
/// The operand broadcast to a larger shape. Its gradient is `grad_out` summed
/// over the repeated axes.
pub struct Expand(pub Vec<usize>);

impl Function for Expand {
    fn op(&self) -> Op {
        Op::Expand(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].expand(&self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.sum_to(ctx.shape(0)))]
    }
}
// ANCHOR_END: expand

impl Tensor {
    /// Sums over every axis along which `shape` is 1 or missing. This is the
    /// gradient of [`Tensor::expand`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.sum_to(&[3]).to_vec()?, [5., 7., 9.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the sizes of `shape`, aligned at the right, are neither equal nor 1.
    #[track_caller]
    #[doc(alias = "sum_to_size")]
    pub fn sum_to(&self, shape: &[usize]) -> Tensor {
        if broadcast(shape, self.shape()).as_deref() != Some(self.shape()) {
            mistake(format!(
                "sum: {:?} does not sum to {shape:?}; aligned at the right, \
                 each size must be equal or 1",
                self.shape()
            ));
        }
        let axes = broadcast_axes(shape, self.shape());
        match axes.is_empty() {
            true => self.clone(),
            false => self.sum_over(&axes, Keep::Yes).reshape(shape),
        }
    }
}

impl Tensor {
    /// Copies the tensor to another device. The gradient is copied back.
    /// `self` stays where it is, so the compiler warns if the copy is unused:
    ///
    /// ```compile_fail
    /// # #![deny(unused_must_use)]
    /// # use rungrad::{Device, Tensor};
    /// let x = Tensor::zeros(&[2], Device::Cpu)?;
    /// x.to(Device::Gpu(0))?; // write: let x = x.to(Device::Gpu(0))?;
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(x.to(Device::Cpu)?.to_vec()?, [1., 2.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such device, or it is out of memory.
    #[doc(alias = "cuda")]
    pub fn to(&self, device: Device) -> Result<Tensor> {
        try_apply(To(device), &[self])
    }
}

impl Tensor {
    /// Converts the elements to another type, rounding to nearest. The
    /// gradient is converted back to this tensor's type.
    ///
    /// ```
    /// # use rungrad::part3_unified::{DType, Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 1.0 / 3.0], Device::Cpu)?;
    /// let half = x.to_dtype(DType::F16)?;
    /// assert_eq!(half.to_vec()?, [1.0, 0.33325195]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device does not support the type, or is out of memory.
    #[doc(alias("half", "float", "double", "type"))]
    pub fn to_dtype(&self, dtype: DType) -> Result<Tensor> {
        match dtype == self.dtype() {
            true => Ok(self.clone()),
            false => try_apply(ToDtype(dtype), &[self]),
        }
    }
}

// ANCHOR: to-dtype
/// A conversion to another type. The gradient is converted back to the
/// operand's type.
pub struct ToDtype(pub DType);

impl Function for ToDtype {
    fn op(&self) -> Op {
        Op::Custom("to_dtype")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].to_dtype(self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(or_raise(grad_out.to_dtype(ctx.dtype(0))))]
    }
}
// ANCHOR_END: to-dtype

// ANCHOR: to
/// A copy on another device. The gradient is copied back.
pub struct To(pub Device);

impl Function for To {
    fn op(&self) -> Op {
        Op::To(self.0.to_string())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].to(self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(or_raise(grad_out.to(ctx.device(0))))]
    }
}
// ANCHOR_END: to
