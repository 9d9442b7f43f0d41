//! Elementwise operations: each result element depends on one element of each
//! operand.

use std::borrow::Cow;

use super::super::arithmetic::check_same_kind;
use super::super::{Array, Binary, Context, Function, Gradients, Tensor};
use super::super::{Unary, apply};
use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::Op;

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let a = Tensor::new(&[2], &[2.0, 3.0], Device::Cpu)?;
/// let row = Tensor::new(&[2, 2], &[1.0, 1.0, 5.0, 5.0], Device::Cpu)?;
/// assert_eq!(a.mul(&row).to_vec()?, [2.0, 3.0, 10.0, 15.0]);
/// assert_eq!((&a * &a).to_vec()?, [4.0, 9.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast, or the devices differ.
// ANCHOR: mul
impl Tensor {
    /// Multiplies element by element; the shapes broadcast.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        let [a, b] = broadcast_operands("mul", [self, other]);
        apply(Mul, &[&a, &b])
    }
}

/// The elementwise product of two tensors of the same shape.
///
/// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
pub struct Mul;

impl Function for Mul {
    fn op(&self) -> Op {
        Op::Mul
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        // Each operand is needed for the gradient of the other.
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].binary(Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![
            ctx.needs(0).then(|| grad_out.mul(&ctx.input(1))),
            ctx.needs(1).then(|| grad_out.mul(&ctx.input(0))),
        ]
    }
}
// ANCHOR_END: mul

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let a = Tensor::new(&[2], &[2.0, 3.0], Device::Cpu)?;
/// let b = Tensor::new(&[1], &[5.0], Device::Cpu)?;
/// assert_eq!(a.add(&b).to_vec()?, [7.0, 8.0]);
/// assert_eq!((&a + 5.0).to_vec()?, [7.0, 8.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast, or the devices differ.
// ANCHOR: add
impl Tensor {
    /// Adds element by element; the shapes broadcast.
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        let [a, b] = broadcast_operands("add", [self, other]);
        apply(Add, &[&a, &b])
    }
}

/// The sum of two tensors of the same shape. Each operand's gradient is
/// `grad_out`.
pub struct Add;

impl Function for Add {
    fn op(&self) -> Op {
        Op::Add
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].binary(Binary::Add, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        [0, 1].map(|i| ctx.needs(i).then(|| grad_out.clone())).into()
    }
}
// ANCHOR_END: add

impl Tensor {
    /// Subtracts element by element, as `a + (-b)`; the shapes broadcast.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[3.0, 5.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[1.0, 7.0], Device::Cpu)?;
    /// assert_eq!(a.sub(&b).to_vec()?, [2.0, -2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "subtract")]
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        // Broadcast here, so that error messages say `sub` instead of `add`.
        let [a, b] = broadcast_operands("sub", [self, other]);
        a.add(&b.neg())
    }

    /// Divides element by element; the shapes broadcast.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[3.0, 5.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 5.0], Device::Cpu)?;
    /// assert_eq!(a.div(&b).to_vec()?, [1.5, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "divide")]
    #[track_caller]
    pub fn div(&self, other: &Tensor) -> Tensor {
        let [a, b] = broadcast_operands("div", [self, other]);
        apply(Div, &[&a, &b])
    }
}

/// The elementwise quotient of two tensors of the same shape.
///
/// `grad_a = grad_out / b`, `grad_b = -(grad_out * output) / b`.
pub struct Div;

impl Function for Div {
    fn op(&self) -> Op {
        Op::Div
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(1, inputs[1]);
        let output = inputs[0].binary(Binary::Div, inputs[1])?;
        if ctx.needs(1) {
            ctx.save_output(&output);
        }
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let b = ctx.input(1);
        let share = || grad_out.mul(&ctx.output()).neg();
        vec![
            ctx.needs(0).then(|| grad_out.div(&b)),
            ctx.needs(1).then(|| share().div(&b)),
        ]
    }
}

impl Tensor {
    /// Negates each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, -2.0], Device::Cpu)?;
    /// assert_eq!(x.neg().to_vec()?, [-1.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "negative")]
    #[track_caller]
    pub fn neg(&self) -> Tensor {
        self.scale(-1.0)
    }
}

impl Tensor {
    /// Computes the exponential of each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 1.0], Device::Cpu)?;
    /// assert_eq!(x.exp().to_vec()?, [1.0, 1f32.exp()]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        apply(Exp, &[self])
    }
}

/// The exponential, which is its own derivative: `grad_a = grad_out * output`.
pub struct Exp;

impl Function for Exp {
    fn op(&self) -> Op {
        Op::Exp
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].unary(Unary::Exp)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.output()))]
    }
}

impl Tensor {
    /// Computes the natural logarithm of each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.log().to_vec()?, [0.0, 2f32.ln()]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "ln")]
    #[track_caller]
    pub fn log(&self) -> Tensor {
        apply(Log, &[self])
    }
}

/// The natural logarithm: `grad_a = grad_out / a`.
pub struct Log;

impl Function for Log {
    fn op(&self) -> Op {
        Op::Log
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Log)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.div(&ctx.input(0)))]
    }
}

impl Tensor {
    /// Replaces negative elements by 0 (rectified linear unit).
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[-1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.relu().to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn relu(&self) -> Tensor {
        apply(Relu, &[self])
    }
}

/// The rectified linear unit. The derivative at 0 is 0. Blocked elements get a
/// gradient of exactly 0, even if the upstream gradient is infinite or NaN.
pub struct Relu;

impl Function for Relu {
    fn op(&self) -> Op {
        Op::Relu
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Relu)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0);
        let stopped = a.le(&a.zeros_like());
        vec![Some(stopped.where_cond(&grad_out.zeros_like(), grad_out))]
    }
}

/// Broadcasts the operands to a common shape. The [`Expand`](super::Expand)
/// nodes that this adds to the graph sum each gradient back to its operand's
/// shape.
#[track_caller]
pub fn broadcast_operands<'a, const N: usize>(
    op: &str,
    operands: [&'a Tensor; N],
) -> [Cow<'a, Tensor>; N] {
    let (first, others) = (operands[0], &operands[1..]);
    for other in others {
        or_raise(check_same_kind(op, &first.array, &other.array));
    }
    if others.iter().all(|other| other.shape() == first.shape()) {
        return operands.map(Cow::Borrowed);
    }
    let mut shape = first.shape().to_vec();
    for other in others {
        shape = or_raise(checks::broadcast(op, &shape, other.shape()));
    }
    operands.map(|operand| match operand.shape() == shape {
        true => Cow::Borrowed(operand),
        false => Cow::Owned(operand.expand(&shape)),
    })
}
