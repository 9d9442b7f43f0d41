//! The elementwise operations, in the order of [`crate::ops`]. Most record a
//! result with its local gradient rule; `sub`, `neg`, `abs` and `sqrt` are
//! composed from others. "Backward by hand", "Few rules, many operations",
//! "Corners" and "Right on paper, wrong in f32" build them; `reduce.rs` and
//! `matrix.rs` hold the rest.

use std::f32::consts::{SQRT_2, TAU};
use std::rc::Rc;

use ndarray::ArrayD;

use super::Tensor;
use super::array::{sum_to, zip};
use crate::checks;
use crate::error::or_raise;
use crate::ops::Op;

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let a = Tensor::new(&[2], &[2.0, 3.0]);
/// let b = Tensor::new(&[2], &[5.0, -1.0]);
/// assert_eq!(a.mul(&b).to_vec(), [10.0, -3.0]);
/// assert_eq!((&a * &b).to_vec(), [10.0, -3.0]);
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast.
// ANCHOR: mul
impl Tensor {
    /// Multiplies elementwise, with broadcasting.
    ///
    /// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        let (a, b) = (self.data(), other.data());
        let product = zip("mul", &a, &b, |x, y| x * y);
        Tensor::record(Op::Mul, &[self, other], product, move |grad_out| {
            let grad_a = zip("mul", grad_out, &b, |g, y| g * y);
            let grad_b = zip("mul", grad_out, &a, |g, x| g * x);
            vec![sum_to(grad_a, a.shape()), sum_to(grad_b, b.shape())]
        })
    }
}
// ANCHOR_END: mul

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let a = Tensor::new(&[2], &[2.0, 3.0]);
/// let b = Tensor::new(&[1], &[5.0]);
/// assert_eq!(a.add(&b).to_vec(), [7.0, 8.0]);
/// assert_eq!((&a + 5.0).to_vec(), [7.0, 8.0]);
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast.
// ANCHOR: add
impl Tensor {
    /// Adds elementwise, with broadcasting.
    ///
    /// `grad_a = grad_out`, `grad_b = grad_out`.
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        let total = zip("add", &self.data(), &other.data(), |x, y| x + y);
        let shapes = [self, other].map(|x| x.shape().to_vec());
        Tensor::record(Op::Add, &[self, other], total, move |grad_out| {
            let grad = |shape| sum_to(grad_out.clone(), shape);
            shapes.iter().map(|shape| grad(shape)).collect()
        })
    }
}
// ANCHOR_END: add

impl Tensor {
    // ANCHOR: scale
    /// Multiplies each element by a constant. The constant gets no gradient.
    pub(super) fn scale(&self, factor: f32) -> Tensor {
        let out = self.data().mapv(|x| x * factor);
        Tensor::record(Op::Scale(factor), &[self], out, move |grad_out| {
            vec![grad_out.mapv(|g| g * factor)]
        })
    }
    // ANCHOR_END: scale

    /// Adds a constant to each element.
    pub(super) fn shift(&self, constant: f32) -> Tensor {
        let out = self.data().mapv(|x| x + constant);
        Tensor::record(Op::Shift(constant), &[self], out, |grad_out| {
            vec![grad_out.clone()]
        })
    }

    /// Divides each element by a constant. Multiplying by `1 / divisor`
    /// instead would round twice.
    pub(super) fn div_scalar(&self, divisor: f32) -> Tensor {
        let out = self.data().mapv(|x| x / divisor);
        Tensor::record(Op::DivScalar(divisor), &[self], out, move |grad_out| {
            vec![grad_out.mapv(|g| g / divisor)]
        })
    }

    /// Divides a constant by each element.
    pub(super) fn rdiv_scalar(&self, dividend: f32) -> Tensor {
        let x = self.data();
        let y = Rc::new(x.mapv(|x| dividend / x));
        let op = Op::RdivScalar(dividend);
        Tensor::record(op, &[self], Rc::clone(&y), move |grad_out| {
            vec![divisor_grad(grad_out, &y, &x)]
        })
    }
}

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let a = Tensor::new(&[2], &[2.0, 3.0]);
/// let b = Tensor::new(&[2], &[5.0, -1.0]);
/// assert_eq!(a.sub(&b).to_vec(), [-3.0, 4.0]);
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast.
// ANCHOR: derived
impl Tensor {
    /// Subtracts elementwise, with broadcasting, as `a + (-b)`.
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        // Checked here so that the error names `sub` and not `add`.
        or_raise(checks::broadcast("sub", self.shape(), other.shape()));
        self.add(&other.neg())
    }
}
// ANCHOR_END: derived

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let a = Tensor::new(&[2], &[3.0, 5.0]);
/// let b = Tensor::new(&[2], &[2.0, 5.0]);
/// assert_eq!(a.div(&b).to_vec(), [1.5, 1.0]);
/// ```
///
/// # Panics
///
/// If the shapes do not broadcast.
// ANCHOR: div
impl Tensor {
    /// Divides elementwise, `y = a / b`, with broadcasting.
    ///
    /// `grad_a = grad_out / b`, `grad_b = -(grad_out * y) / b`.
    #[track_caller]
    pub fn div(&self, other: &Tensor) -> Tensor {
        let (a, b) = (self.shape().to_vec(), other.data());
        let y = Rc::new(zip("div", &self.data(), &b, |x, y| x / y));
        let out = Rc::clone(&y);
        Tensor::record(Op::Div, &[self, other], out, move |grad_out| {
            let grad_a = zip("div", grad_out, &b, |g, b| g / b);
            let grad_b = divisor_grad(grad_out, &y, &b);
            vec![sum_to(grad_a, &a), sum_to(grad_b, b.shape())]
        })
    }
}

/// Computes the gradient of a divisor `b`: `-(grad_out * y) / b`. This equals
/// `-grad_out * a / b^2`, but `b^2` would underflow to 0 for a small `b` and
/// overflow to infinity for a large one.
fn divisor_grad(
    grad_out: &ArrayD<f32>,
    y: &ArrayD<f32>,
    b: &ArrayD<f32>,
) -> ArrayD<f32> {
    let numerator = zip("div", grad_out, y, |g, y| -(g * y));
    zip("div", &numerator, b, |n, b| n / b)
}
// ANCHOR_END: div

impl Tensor {
    /// Negates each element, as `a * -1`.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, -2.0]);
    /// assert_eq!(x.neg().to_vec(), [-1.0, 2.0]);
    /// ```
    #[doc(alias = "negative")]
    pub fn neg(&self) -> Tensor {
        self.scale(-1.0)
    }
}

impl Tensor {
    /// Raises each element to a constant power.
    ///
    /// `grad_a = grad_out * exponent * a^(exponent - 1)`. The exponent 0.5 has
    /// the values and derivatives of [`Tensor::sqrt`].
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[2.0, -3.0]);
    /// assert_eq!(x.pow(2.0).to_vec(), [4.0, 9.0]);
    /// ```
    pub fn pow(&self, exponent: f32) -> Tensor {
        let power = move |x: f32| match exponent {
            -1.0 => 1.0 / x,
            0.5 => x.sqrt(),
            2.0 => x * x,
            _ => x.powf(exponent),
        };
        let derivative = move |x: f32, y: f32| match exponent {
            0.0 => 0.0,
            // Negative infinity at -0.0 and NaN below 0, unlike `x^-0.5`.
            0.5 => 0.5 / y,
            2.0 => 2.0 * x,
            _ => exponent * x.powf(exponent - 1.0),
        };
        self.elementwise(Op::Pow(exponent), power, derivative)
    }

    // ANCHOR: exp
    /// Computes `e^a`, which is its own derivative.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[0.0, 1.0]);
    /// assert_eq!(x.exp().to_vec(), [1.0, 1f32.exp()]);
    /// ```
    pub fn exp(&self) -> Tensor {
        self.elementwise(Op::Exp, f32::exp, |_, y| y)
    }
    // ANCHOR_END: exp

    /// Computes the natural logarithm: `grad_a = grad_out / a`.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.log().to_vec(), [0.0, 2f32.ln()]);
    /// ```
    #[doc(alias = "ln")]
    pub fn log(&self) -> Tensor {
        self.elementwise(Op::Log, f32::ln, |x, _| 1.0 / x)
    }
}

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[-4.0, 4.0]);
/// assert_eq!(x.relu().to_vec(), [0.0, 4.0]);
/// assert_eq!(x.abs().to_vec(), [4.0, 4.0]);
/// assert_eq!(x.abs().sqrt().to_vec(), [2.0, 2.0]);
/// ```
// ANCHOR: kinks
impl Tensor {
    /// Computes `max(a, 0)`. The derivative at 0 is 0, as in PyTorch.
    pub fn relu(&self) -> Tensor {
        let x = self.data();
        // `x <= 0.0` is false for a NaN, so a NaN passes through.
        let y = x.mapv(|x| if x <= 0.0 { 0.0 } else { x });
        Tensor::record(Op::Relu, &[self], y, move |grad_out| {
            let closed = |g, x| if x <= 0.0 { 0.0 } else { g };
            vec![zip("relu", grad_out, &x, closed)]
        })
    }

    /// Computes the absolute value, as `relu(a) + relu(-a)`. The derivative is
    /// 0 at 0 and at NaN, as in PyTorch.
    pub fn abs(&self) -> Tensor {
        self.relu().add(&self.neg().relu())
    }

    /// Computes the square root, as a power. The derivative is infinity at 0,
    /// negative infinity at -0, and NaN below 0, as in PyTorch.
    pub fn sqrt(&self) -> Tensor {
        self.pow(0.5)
    }
}
// ANCHOR_END: kinks

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[0.0, 20.0]);
/// assert_eq!(x.tanh().to_vec(), [0.0, 1.0]);
/// assert_eq!(x.sigmoid().to_vec()[0], 0.5);
/// ```
// ANCHOR: sigmoid
impl Tensor {
    /// Computes the hyperbolic tangent: `grad_a = grad_out * (1 - y^2)`.
    pub fn tanh(&self) -> Tensor {
        self.elementwise(Op::Tanh, f32::tanh, |_, y| 1.0 - y * y)
    }

    /// Computes the logistic function `1 / (1 + e^-a)`, in a form whose
    /// exponential cannot overflow: `grad_a = grad_out * y * (1 - y)`.
    pub fn sigmoid(&self) -> Tensor {
        let stable = |x: f32| {
            let small = (-x.abs()).exp();
            if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
        };
        self.elementwise(Op::Sigmoid, stable, |_, y| y * (1.0 - y))
    }
}
// ANCHOR_END: sigmoid

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[3], &[0.0, 9.0, -9.0]);
/// assert_eq!(x.gelu().to_vec(), [0.0, 9.0, 0.0]);
/// ```
// ANCHOR: gelu
impl Tensor {
    /// Computes the Gaussian error linear unit `a * cdf(a)`, where `cdf` is
    /// the cumulative distribution function of the standard normal
    /// distribution and `pdf` its density:
    /// `grad_a = grad_out * (cdf(a) + a * pdf(a))`.
    pub fn gelu(&self) -> Tensor {
        let cdf = |x: f32| 0.5 * (1.0 + libm::erff(x / SQRT_2));
        let pdf = |x: f32| (-0.5 * x * x).exp() / TAU.sqrt();
        let derivative = move |x, _| cdf(x) + x * pdf(x);
        self.elementwise(Op::Gelu, move |x| x * cdf(x), derivative)
    }
}
// ANCHOR_END: gelu

// ANCHOR: elementwise
impl Tensor {
    /// Applies `function` to each element. `derivative` takes an element `x` of
    /// the operand and its result `y`.
    fn elementwise(
        &self,
        op: Op,
        function: impl Fn(f32) -> f32,
        derivative: impl Fn(f32, f32) -> f32 + 'static,
    ) -> Tensor {
        let x = self.data();
        let y = Rc::new(x.mapv(function));
        Tensor::record(op, &[self], Rc::clone(&y), move |grad_out| {
            let derivatives = zip("elementwise", &x, &y, &derivative);
            vec![zip("elementwise", grad_out, &derivatives, |g, d| g * d)]
        })
    }
}
// ANCHOR_END: elementwise
