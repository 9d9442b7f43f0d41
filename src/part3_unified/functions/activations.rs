//! The error function, and what stands between the layers of a network.

use std::f64::consts::{FRAC_1_PI, FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::super::{Array, Context, DType, Function, Gradients, Tensor};
use super::super::{Unary, apply};
use crate::error::{Result, or_raise};
use crate::ops::Op;

impl Tensor {
    /// Computes the error function of each element: the share of a bell with
    /// standard deviation `sqrt(1/2)` that lies between `-a` and `a`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 9.0], Device::Cpu)?;
    /// assert_eq!(x.erf().to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn erf(&self) -> Tensor {
        apply(Erf, &[self])
    }
}

/// The error function: `grad_a = grad_out * 2 / sqrt(pi) * exp(-a^2)`.
pub struct Erf;

impl Function for Erf {
    fn op(&self) -> Op {
        Op::Erf
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Erf)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let bell = ctx.input(0).pow(2.0).neg().exp();
        vec![Some(grad_out.mul(&bell.scale(FRAC_2_SQRT_PI)))]
    }
}

impl Tensor {
    /// Multiplies each element by its logistic function: the sigmoid linear
    /// unit.
    ///
    /// Where the exponential of `-a` overflows, from `a = -88.8` on in `f32`, a
    /// device may return -0, as PyTorch does, or a subnormal number.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 100.0], Device::Cpu)?;
    /// assert_eq!(x.silu().to_vec()?, [0.0, 100.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "swish")]
    #[track_caller]
    pub fn silu(&self) -> Tensor {
        self.mul(&self.sigmoid())
    }

    /// Approximates [`Tensor::gelu`] by a hyperbolic tangent, as GPT-2 does; it
    /// is up to 5e-4 away from it. PyTorch's default is the exact one.
    ///
    /// Far from 0 the derivative is 1 or 0, for all finite elements. PyTorch 2.15
    /// has NaN from 1.9e19 on in `f32`, where the cube overflows.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[0.0, 9.0, -9.0], Device::Cpu)?;
    /// assert_eq!(x.gelu_tanh().to_vec()?, [0.0, 9.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn gelu_tanh(&self) -> Tensor {
        // From 10 on the tangent is 1 in every type. There the cube grows in a
        // straight line, so that its derivative is finite: times the 0 of the
        // tangent, an infinite one would be NaN.
        let square = self.mul(self);
        let far = square.full_like(100.0);
        let square = square.le(&far).where_cond(&square, &far);
        let cube = square.mul(self).scale(0.044715);
        let t = self.add(&cube).scale((2.0 * FRAC_1_PI).sqrt()).tanh();
        self.scale(0.5).mul(&t.shift(1.0))
    }

    /// Keeps what is above 0, and bends the rest to `alpha * (e^a - 1)`: the
    /// exponential linear unit.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[2.0, 0.0, -100.0], Device::Cpu)?;
    /// assert_eq!(x.elu(0.5).to_vec()?, [2.0, 0.0, -0.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn elu(&self, alpha: impl Into<f64>) -> Tensor {
        let alpha = alpha.into();
        let zeros = self.zeros_like();
        let below = self.le(&zeros);
        // With t = tanh(a / 2) it is 2 t / (1 - t), which keeps the digits of
        // a small a that e^a - 1 would lose.
        let t = below.where_cond(self, &zeros).scale(0.5).tanh();
        below.where_cond(&t.scale(2.0 * alpha).div(&t.neg().shift(1.0)), self)
    }

    /// Keeps what is above 0, and scales the rest by `slope`, which is also
    /// the slope at 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[3.0, -8.0], Device::Cpu)?;
    /// assert_eq!(x.leaky_relu(0.25).to_vec()?, [3.0, -2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn leaky_relu(&self, slope: impl Into<f64>) -> Tensor {
        let above = self.gt(&self.zeros_like());
        above.where_cond(self, &self.scale(slope))
    }

    /// Computes `log(1 + e^a)`, a positive part without a kink.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 100.0], Device::Cpu)?;
    /// assert_eq!(x.softplus().to_vec()?, [2f32.ln(), 100.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn softplus(&self) -> Tensor {
        // From here on the two are one number, and no exponential is large.
        let same = match self.dtype() {
            DType::F16 => 10.0,
            DType::F32 => 20.0,
            DType::F64 => 40.0,
        };
        let far = self.gt(&self.full_like(same));
        let near = far.where_cond(&self.zeros_like(), self);
        far.where_cond(self, &near.exp().log1p())
    }

    /// Takes the logarithm of [`Tensor::sigmoid`], which far below 0 is no
    /// logarithm of 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, -200.0], Device::Cpu)?;
    /// assert_eq!(x.log_sigmoid().to_vec()?, [-2f32.ln(), -200.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "logsigmoid")]
    #[track_caller]
    pub fn log_sigmoid(&self) -> Tensor {
        self.neg().softplus().neg()
    }
}

impl Tensor {
    /// Computes the slope of [`Tensor::gelu`].
    #[track_caller]
    fn gelu_slope(&self) -> Tensor {
        apply(GeluSlope, &[self])
    }
}

/// Each element times the share of a bell that lies below it.
///
/// `grad_a = grad_out * (below(a) + a * height(a))`.
pub struct Gelu;

impl Function for Gelu {
    fn op(&self) -> Op {
        Op::Gelu
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Gelu)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0);
        if !a.records() && !grad_out.records() {
            let grads = a.array.gelu_grads(&grad_out.array);
            return vec![Some(or_raise(grads).into())];
        }
        vec![Some(grad_out.mul(&a.gelu_slope()))]
    }
}

/// The slope of [`Gelu`]. Its own is `height(a) * (2 - a^2)`.
pub struct GeluSlope;

impl Function for GeluSlope {
    fn op(&self) -> Op {
        Op::Custom("gelu_slope")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::GeluSlope)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0);
        let square = a.mul(&a);
        let height = square.scale(-0.5).exp().scale(0.5 * FRAC_2_SQRT_PI);
        let height = height.scale(FRAC_1_SQRT_2);
        let slope = height.mul(&square.neg().shift(2.0));
        vec![Some(grad_out.mul(&slope))]
    }
}
