//! Arithmetic with a constant, which gets no gradient.

use crate::error::Result;
use crate::ops::Op;
use crate::part3_unified::{Array, Context, Function, Gradients, Tensor};
use crate::part3_unified::{Unary, apply};

impl Tensor {
    /// Multiplies each element by a constant.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, -2.0], Device::Cpu)?;
    /// assert_eq!(x.scale(3.0).to_vec()?, [3.0, -6.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn scale(&self, number: impl Into<f64>) -> Tensor {
        apply(Scale(number.into()), &[self])
    }
}

/// A product with a constant.
pub struct Scale(pub f64);

impl Function for Scale {
    fn op(&self) -> Op {
        Op::Scale(self.0 as f32)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].unary(Unary::Scale(self.0))
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.scale(self.0))]
    }
}

impl Tensor {
    /// Adds a constant to each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, -2.0], Device::Cpu)?;
    /// assert_eq!(x.shift(3.0).to_vec()?, [4.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn shift(&self, number: impl Into<f64>) -> Tensor {
        apply(Shift(number.into()), &[self])
    }
}

/// A sum with a constant; the gradient passes through unchanged.
pub struct Shift(pub f64);

impl Function for Shift {
    fn op(&self) -> Op {
        Op::Shift(self.0 as f32)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].unary(Unary::Shift(self.0))
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.clone())]
    }
}

impl Tensor {
    /// Divides each element by a constant.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, -2.0], Device::Cpu)?;
    /// assert_eq!(x.div_scalar(2.0).to_vec()?, [0.5, -1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn div_scalar(&self, number: impl Into<f64>) -> Tensor {
        apply(DivScalar(number.into()), &[self])
    }
}

/// A quotient with a constant divisor.
pub struct DivScalar(pub f64);

impl Function for DivScalar {
    fn op(&self) -> Op {
        Op::DivScalar(self.0 as f32)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].unary(Unary::DivScalar(self.0))
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.div_scalar(self.0))]
    }
}

impl Tensor {
    /// Divides a constant by each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, -2.0], Device::Cpu)?;
    /// assert_eq!(x.rdiv_scalar(2.0).to_vec()?, [2.0, -1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn rdiv_scalar(&self, number: impl Into<f64>) -> Tensor {
        apply(RdivScalar(number.into()), &[self])
    }
}

/// A constant divided by the operand: `grad_a = -(grad_out * output) / a`.
pub struct RdivScalar(pub f64);

impl Function for RdivScalar {
    fn op(&self) -> Op {
        Op::RdivScalar(self.0 as f32)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].unary(Unary::RdivScalar(self.0))?;
        ctx.save_input(0, inputs[0]);
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let share = grad_out.mul(&ctx.output()).neg();
        vec![Some(share.div(&ctx.input(0)))]
    }
}
