//! Sine, cosine and tangent. "Add an operator" adds the sine step by step.

use crate::error::Result;
use crate::ops::Op;
use crate::part3_unified::{Array, Context, Function, Gradients, Tensor};
use crate::part3_unified::{Unary, apply};

impl Tensor {
    /// Computes the sine of each element, an angle in radians.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 0.5], Device::Cpu)?;
    /// assert_eq!(x.sin().to_vec()?, [0.0, 0.5f32.sin()]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn sin(&self) -> Tensor {
        apply(Sin, &[self])
    }
}

/// The sine: `grad_a = grad_out * cos a`.
pub struct Sin;

impl Function for Sin {
    fn op(&self) -> Op {
        Op::Unary(Unary::Sin)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Sin)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.input(0).cos()))]
    }
}

impl Tensor {
    /// Computes the cosine of each element, an angle in radians. It is not
    /// derived from the sine, because adding a quarter turn would round a
    /// large angle.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 0.5], Device::Cpu)?;
    /// assert_eq!(x.cos().to_vec()?, [1.0, 0.5f32.cos()]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn cos(&self) -> Tensor {
        apply(Cos, &[self])
    }
}

/// The cosine: `grad_a = -grad_out * sin a`.
pub struct Cos;

impl Function for Cos {
    fn op(&self) -> Op {
        Op::Unary(Unary::Cos)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Cos)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.input(0).sin().neg()))]
    }
}

impl Tensor {
    /// Computes the tangent of each element, an angle in radians.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 0.5], Device::Cpu)?;
    /// assert_eq!(x.tan().to_vec()?, [0.0, 0.5f32.sin() / 0.5f32.cos()]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn tan(&self) -> Tensor {
        self.sin().div(&self.cos())
    }
}
