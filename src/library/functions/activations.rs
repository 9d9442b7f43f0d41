//! The error function and the activation functions.

use std::f64::consts::{FRAC_1_PI, FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use crate::error::{Result, or_raise};
use crate::ops::Op;
use crate::part3_unified::{
    Array, Context, DType, Function, Gradients, Tensor,
};
use crate::part3_unified::{Unary, apply};

impl Tensor {
    /// Applies the Gaussian error linear unit: multiplies each element by the
    /// normal cumulative distribution at that element. It is computed from
    /// [`Tensor::erf`]; for the approximation see [`Tensor::gelu_tanh`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[0.0, 9.0, -99.0], Device::Cpu)?;
    /// assert_eq!(x.gelu().to_vec()?, [0.0, 9.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn gelu(&self) -> Tensor {
        apply(Gelu, &[self])
    }

    /// Computes the error function of each element: the probability that a
    /// normal random variable with mean 0 and standard deviation `sqrt(1/2)`
    /// is between `-a` and `a`.
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
        Op::Unary(Unary::Erf)
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
    /// Multiplies each element by its sigmoid: the sigmoid linear unit
    /// (swish).
    ///
    /// Where `e^-a` overflows, which begins at `a = -88.8` in `f32`, a device
    /// may return -0, as PyTorch does, or a subnormal number.
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

    /// Approximates [`Tensor::gelu`] with a hyperbolic tangent, as GPT-2 does.
    /// The error is at most 5e-4. PyTorch's default is the exact function.
    ///
    /// The derivative is finite for all finite elements. PyTorch 2.15 returns
    /// NaN above 1.9e19 in `f32`, where the cube overflows.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[0.0, 9.0, -9.0], Device::Cpu)?;
    /// assert_eq!(x.gelu_tanh().to_vec()?, [0.0, 9.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn gelu_tanh(&self) -> Tensor {
        // Above 10 the tangent is 1 in every type. The clamped square keeps
        // the derivative of the cube finite there; an infinite derivative,
        // multiplied by the tangent's derivative of 0, would be NaN.
        let square = self.mul(self);
        let far = square.full_like(100.0);
        let square = square.le(&far).where_cond(&square, &far);
        let cube = square.mul(self).scale(0.044715);
        let t = self.add(&cube).scale((2.0 * FRAC_1_PI).sqrt()).tanh();
        self.scale(0.5).mul(&t.shift(1.0))
    }

    /// Returns positive elements unchanged and computes `alpha * (e^a - 1)`
    /// for the others: the exponential linear unit.
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
        // With t = tanh(a / 2), e^a - 1 = 2 t / (1 - t). This form avoids the
        // cancellation in e^a - 1 for small a.
        let t = below.where_cond(self, &zeros).scale(0.5).tanh();
        below.where_cond(&t.scale(2.0 * alpha).div(&t.neg().shift(1.0)), self)
    }

    /// Returns positive elements unchanged and multiplies the others by
    /// `slope`, which is also the derivative at 0.
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

    /// Computes `log(1 + e^a)`, a smooth approximation of ReLU.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[0.0, 100.0], Device::Cpu)?;
    /// assert_eq!(x.softplus().to_vec()?, [2f32.ln(), 100.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn softplus(&self) -> Tensor {
        // Above this value, softplus(a) rounds to a. Below it, e^a cannot
        // overflow.
        let same = match self.dtype() {
            DType::F16 => 10.0,
            DType::F32 => 20.0,
            DType::F64 => 40.0,
        };
        let far = self.gt(&self.full_like(same));
        let near = far.where_cond(&self.zeros_like(), self);
        far.where_cond(self, &near.exp().log1p())
    }

    /// Computes the logarithm of [`Tensor::sigmoid`] without underflow: far
    /// below 0 it returns `a` instead of the logarithm of 0.
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
    /// Computes the derivative of [`Tensor::gelu`].
    #[track_caller]
    fn gelu_slope(&self) -> Tensor {
        apply(GeluSlope, &[self])
    }
}

/// The Gaussian error linear unit: each element times the normal cumulative
/// distribution at that element.
///
/// `grad_a = grad_out * (cdf(a) + a * pdf(a))`, with the cumulative
/// distribution and the density of the standard normal distribution.
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
            let grads = a.array().gelu_grads(grad_out.array());
            return vec![Some(or_raise(grads).into())];
        }
        vec![Some(grad_out.mul(&a.gelu_slope()))]
    }
}

/// The derivative of [`Gelu`]. Its own derivative is `pdf(a) * (2 - a^2)`.
pub struct GeluSlope;

impl Function for GeluSlope {
    fn op(&self) -> Op {
        Op::Unary(Unary::GeluSlope)
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

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let x = Tensor::new(&[2], &[-4.0, 0.0], Device::Cpu)?;
/// assert_eq!(x.abs().to_vec()?, [4.0, 0.0]);
/// assert_eq!(x.abs().sqrt().to_vec()?, [2.0, 0.0]);
/// assert_eq!(x.tanh().to_vec()?, [(-4f32).tanh(), 0.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
impl Tensor {
    /// Computes the absolute value, as `relu(a) + relu(-a)`. The derivative is
    /// 0 at 0 and at NaN, as in PyTorch.
    #[doc(alias = "absolute")]
    #[track_caller]
    pub fn abs(&self) -> Tensor {
        self.relu().add(&self.neg().relu())
    }

    /// Computes the square root, as a power. The derivative is infinity at 0,
    /// negative infinity at -0, and NaN below 0, as in PyTorch.
    #[track_caller]
    pub fn sqrt(&self) -> Tensor {
        self.pow(0.5)
    }

    /// Computes the hyperbolic tangent of each element.
    #[track_caller]
    pub fn tanh(&self) -> Tensor {
        apply(Tanh, &[self])
    }
}

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let x = Tensor::new(&[2], &[-4.0, 400.0], Device::Cpu)?;
/// assert_eq!(x.abs().to_vec()?, [4.0, 400.0]);
/// assert_eq!(x.abs().sqrt().to_vec()?, [2.0, 20.0]);
/// assert_eq!(x.sqrt().tanh().to_vec()?[1], 1.0);
/// # Ok::<(), rungrad::Error>(())
/// ```
/// The hyperbolic tangent: `grad_a = grad_out * (1 - output^2)`.
pub struct Tanh;

impl Function for Tanh {
    fn op(&self) -> Op {
        Op::Tanh
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].unary(Unary::Tanh)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let y = ctx.output();
        vec![Some(grad_out.mul(&y.mul(&y).neg().shift(1.0)))]
    }
}

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let x = Tensor::new(&[3], &[-100.0, 0.0, 100.0], Device::Cpu)?;
/// assert_eq!(x.sigmoid().to_vec()?, [(-100f32).exp(), 0.5, 1.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
// ANCHOR: sigmoid
impl Tensor {
    /// Computes the sigmoid `1 / (1 + e^-a)` of each element.
    #[track_caller]
    pub fn sigmoid(&self) -> Tensor {
        apply(Sigmoid, &[self])
    }
}

/// The sigmoid (logistic) function:
/// `grad_a = grad_out * output * (1 - output)`.
pub struct Sigmoid;

impl Function for Sigmoid {
    fn op(&self) -> Op {
        Op::Sigmoid
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let output = inputs[0].unary(Unary::Sigmoid)?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let y = ctx.output();
        vec![Some(grad_out.mul(&y.mul(&y.neg().shift(1.0))))]
    }
}
// ANCHOR_END: sigmoid

impl Array {
    /// Computes the gradient of gelu; `self` is its input.
    pub fn gelu_grads(&self, grad_out: &Array) -> Result<Array> {
        self.check_pair("gelu_grads", grad_out)?;
        self.mapped(|backend| backend.gelu_grads(self, grad_out))
    }
}
