//! The types of numbers as the processor keeps them, and what is computed of
//! each: `f32` has ways of its own where they are quicker.

use std::sync::Mutex;

use super::super::super::number::{Element, Real};
use super::super::Unary;
use super::bell;
use super::elementary::{self, Fma};
use super::products::product_f64;
use crate::half::F16;
use crate::product::{Lines, product};

/// A type of numbers that a storage may hold.
pub(super) trait Kept: Element {
    /// Returns the pieces of memory that nobody uses.
    fn waiting() -> &'static Mutex<Vec<Vec<Self>>>;
}

macro_rules! kept {
    ($($number:ty),*) => {$(
        impl Kept for $number {
            fn waiting() -> &'static Mutex<Vec<Vec<$number>>> {
                static WAITING: Mutex<Vec<Vec<$number>>> =
                    Mutex::new(Vec::new());
                &WAITING
            }
        }
    )*};
}

kept!(f32, f64, F16);

/// A type of numbers that is computed with.
pub(super) trait Number: Kept + Real {
    fn exponential(fma: Fma, x: Self) -> Self;
    fn logarithm(fma: Fma, x: Self) -> Self;
    fn tangent(fma: Fma, x: Self) -> Self;
    fn logistic(fma: Fma, x: Self) -> Self;
    fn gelu(fma: Fma, x: Self) -> Self;
    fn gelu_slope(fma: Fma, x: Self) -> Self;

    /// Writes each line of `a` times each line of `b` into rows of `out`.
    fn product(a: Lines<Self>, b: Lines<Self>, out: &mut [Self]);
}

impl Number for f32 {
    #[inline(always)]
    fn exponential(fma: Fma, x: f32) -> f32 {
        elementary::exp(fma, x)
    }

    #[inline(always)]
    fn logarithm(fma: Fma, x: f32) -> f32 {
        elementary::log(fma, x)
    }

    #[inline(always)]
    fn tangent(fma: Fma, x: f32) -> f32 {
        elementary::tanh(fma, x)
    }

    #[inline(always)]
    fn logistic(fma: Fma, x: f32) -> f32 {
        elementary::sigmoid(fma, x)
    }

    #[inline(always)]
    fn gelu(fma: Fma, x: f32) -> f32 {
        bell::gelu(fma, x)
    }

    #[inline(always)]
    fn gelu_slope(fma: Fma, x: f32) -> f32 {
        bell::gelu_slope(fma, x)
    }

    fn product(a: Lines<f32>, b: Lines<f32>, out: &mut [f32]) {
        product(a, b, out);
    }
}

// The functions of a library: none of these is in a loop that must be quick.
impl Number for f64 {
    fn exponential(_: Fma, x: f64) -> f64 {
        x.exp()
    }

    fn logarithm(_: Fma, x: f64) -> f64 {
        x.ln()
    }

    fn tangent(_: Fma, x: f64) -> f64 {
        x.tanh()
    }

    fn logistic(_: Fma, x: f64) -> f64 {
        Unary::Sigmoid.apply(x)
    }

    fn gelu(_: Fma, x: f64) -> f64 {
        Unary::Gelu.apply(x)
    }

    fn gelu_slope(_: Fma, x: f64) -> f64 {
        Unary::GeluSlope.apply(x)
    }

    fn product(a: Lines<f64>, b: Lines<f64>, out: &mut [f64]) {
        product_f64(a, b, out);
    }
}
