//! The rules of powers, by a number and by a tensor, and of the logarithm near 1.

use super::super::{Array, Binary, Context, Function, Gradients, Tensor};
use super::super::{Unary, apply};
use super::stretch;
use crate::error::Result;
use crate::ops::Op;

/// A power with a number as exponent:
/// `grad_a = grad_out * number * a^(number - 1)`.
///
/// The square root has `grad_a = grad_out / (2 * output)`, which has the sign of
/// -0 and is NaN below 0, where `a^-0.5` would not be. Other small exponents do
/// without a general power, which devices round, so that the derivative of a
/// square is exactly `2 * a`.
pub struct Pow(pub f64);

impl Function for Pow {
    fn op(&self) -> Op {
        Op::Pow(self.0 as f32)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let a = inputs[0];
        let output = match self.0 {
            0.0 => a.full_here(a.shape(), 1.0)?,
            number => a.unary(Unary::power(number))?,
        };
        match self.0 {
            0.5 => ctx.save_output(&output),
            _ => ctx.save_input(0, a),
        }
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(match self.0 {
            0.0 => grad_out.zeros_like(),
            0.5 => grad_out.div(&ctx.output().scale(2.0)),
            1.0 => grad_out.clone(),
            2.0 => grad_out.mul(&ctx.input(0).scale(2.0)),
            number => {
                let power = ctx.input(0).pow(number - 1.0);
                grad_out.mul(&power.scale(number))
            }
        })]
    }
}

impl Tensor {
    /// Raises each element to the power that stands at its place; the shapes
    /// broadcast. [`Tensor::pow`] takes one number for all.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let base = Tensor::new(&[3], &[2.0, 3.0, 4.0], Device::Cpu)?;
    /// let exponent = Tensor::new(&[3], &[3.0, 2.0, 0.5], Device::Cpu)?;
    /// assert_eq!(base.pow_tensor(&exponent).to_vec()?, [8.0, 9.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "powf")]
    #[track_caller]
    pub fn pow_tensor(&self, exponent: &Tensor) -> Tensor {
        let [a, b] = stretch("pow_tensor", [self, exponent]);
        apply(PowTensor, &[&a, &b])
    }
}

/// A power of two equal shapes.
///
/// `grad_a = grad_out * b * a^(b - 1)`, `grad_b = grad_out * output * log a`.
/// As in PyTorch, what is raised to 0 has no slope, and neither has the
/// exponent of 0.
pub struct PowTensor;

impl Function for PowTensor {
    fn op(&self) -> Op {
        Op::PowTensor
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].binary(Binary::Pow, inputs[1])?;
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, b) = (ctx.input(0), ctx.input(1));
        let (zeros, ones) = (a.zeros_like(), a.ones_like());
        let grad_a = || {
            // 0 times the slope of a 0 or of a NaN is no number.
            let odd = a.abs().gt(&zeros).neg().shift(1.0);
            let slope = b.mul(&a.pow_tensor(&b.shift(-1.0)));
            let flat = odd.mul(&b.eq(&zeros));
            grad_out.mul(&flat.where_cond(&zeros, &slope))
        };
        let grad_b = || {
            // In the place of log 0 stands log 1: the power is 0 itself, or 1
            // and flat.
            let flat = a.eq(&zeros).mul(&b.ge(&zeros));
            let base = flat.where_cond(&ones, &a);
            grad_out.mul(&ctx.output().mul(&base.log()))
        };
        vec![ctx.needs(0).then(grad_a), ctx.needs(1).then(grad_b)]
    }
}

impl Tensor {
    /// Takes the natural logarithm of `1 + a`, with the digits of a small `a`
    /// that the sum would round away.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 1e-10], Device::Cpu)?;
    /// assert_eq!(x.log1p().to_vec()?, [0.0, 1e-10]);
    /// assert_eq!((&x + 1.0).log().to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "ln_1p")]
    #[track_caller]
    pub fn log1p(&self) -> Tensor {
        apply(Log1p, &[self])
    }
}

/// The logarithm of `1 + a`: `grad_a = grad_out / (1 + a)`.
pub struct Log1p;

impl Function for Log1p {
    fn op(&self) -> Op {
        Op::Log1p
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Log1p)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.div(&ctx.input(0).shift(1.0)))]
    }
}
