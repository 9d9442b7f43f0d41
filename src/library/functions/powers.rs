//! Powers with a constant or a tensor as the exponent, and logarithms.

use std::f64::consts::LN_2;

use crate::error::Result;
use crate::ops::Op;
use crate::part3_unified::functions::broadcast_operands;
use crate::part3_unified::{
    Array, Binary, Context, Function, Gradients, Tensor,
};
use crate::part3_unified::{Unary, apply};

/// A power with a constant exponent:
/// `grad_a = grad_out * number * a^(number - 1)`.
///
/// The gradient of the square root is `grad_out / (2 * output)`, because its
/// sign at -0 and its NaN below 0 would be lost in `a^-0.5`. The exponents 0,
/// 1 and 2 avoid the general power, which devices round differently, so that
/// the derivative of a square is exactly `2 * a`.
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
    /// Raises each element to the given power. A power of 0.5 is computed as
    /// [`Tensor::sqrt`], with the same values and derivatives.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[2.0, -3.0], Device::Cpu)?;
    /// assert_eq!(x.pow(2.0).to_vec()?, [4.0, 9.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn pow(&self, number: impl Into<f64>) -> Tensor {
        apply(Pow(number.into()), &[self])
    }

    /// Raises each element to the corresponding power in `exponent`; the
    /// shapes broadcast. See [`Tensor::pow`] for a constant exponent.
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
        let [a, b] = broadcast_operands("pow_tensor", [self, exponent]);
        apply(PowTensor, &[&a, &b])
    }
}

/// The elementwise power of two tensors of the same shape.
///
/// `grad_a = grad_out * b * a^(b - 1)`, `grad_b = grad_out * output * log a`.
/// As in PyTorch, `grad_a` is 0 where `b` is 0, and `grad_b` is 0 where `a` is
/// 0 and `b` is not negative.
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
            // With b = 0, the formula would multiply 0 by infinity at a = 0,
            // and by NaN at a = NaN; the derivative there is 0.
            let odd = a.abs().gt(&zeros).neg().shift(1.0);
            let slope = b.mul(&a.pow_tensor(&b.shift(-1.0)));
            let flat = odd.mul(&b.eq(&zeros));
            grad_out.mul(&flat.where_cond(&zeros, &slope))
        };
        let grad_b = || {
            // Where a = 0 and b >= 0, use log 1 = 0 in place of log 0: the
            // derivative with respect to b is 0 there.
            let flat = a.eq(&zeros).mul(&b.ge(&zeros));
            let base = flat.where_cond(&ones, &a);
            grad_out.mul(&ctx.output().mul(&base.log()))
        };
        vec![ctx.needs(0).then(grad_a), ctx.needs(1).then(grad_b)]
    }
}

impl Tensor {
    /// Computes the natural logarithm of `1 + a`, accurately even if `a` is so
    /// small that the sum would round it away.
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
        let gradient = |grad: &Tensor, a: &Tensor| grad.div(&a.shift(1.0));
        apply(FromInput(Unary::Log1p, gradient), &[self])
    }
}

impl Tensor {
    /// Computes the reciprocal of the square root of each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[4.0, 0.0], Device::Cpu)?;
    /// assert_eq!(x.rsqrt().to_vec()?, [0.5, f32::INFINITY]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn rsqrt(&self) -> Tensor {
        let gradient =
            |grad: &Tensor, y: &Tensor| grad.mul(&y.pow(3.0).scale(-0.5));
        apply(FromOutput(Unary::Rsqrt, gradient), &[self])
    }

    /// Raises 2 to the power of each element.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[3.0, -1.0], Device::Cpu)?;
    /// assert_eq!(x.exp2().to_vec()?, [8.0, 0.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn exp2(&self) -> Tensor {
        let gradient = |grad: &Tensor, y: &Tensor| grad.mul(&y.scale(LN_2));
        apply(FromOutput(Unary::Exp2, gradient), &[self])
    }

    /// Computes the logarithm of each element to the base 2.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[8.0, 0.5], Device::Cpu)?;
    /// assert_eq!(x.log2().to_vec()?, [3.0, -1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn log2(&self) -> Tensor {
        let gradient = |grad: &Tensor, a: &Tensor| grad.div(&a.scale(LN_2));
        apply(FromInput(Unary::Log2, gradient), &[self])
    }
}

/// An elementwise operation, and its gradient as a function of the upstream
/// gradient and the operand.
struct FromInput(Unary, fn(&Tensor, &Tensor) -> Tensor);

impl Function for FromInput {
    fn op(&self) -> Op {
        Op::Unary(self.0)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(self.1(grad_out, &ctx.input(0)))]
    }
}

/// An elementwise operation, and its gradient as a function of the upstream
/// gradient and the result.
struct FromOutput(Unary, fn(&Tensor, &Tensor) -> Tensor);

impl Function for FromOutput {
    fn op(&self) -> Op {
        Op::Unary(self.0)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].unary(self.0)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(self.1(grad_out, &ctx.output()))]
    }
}
