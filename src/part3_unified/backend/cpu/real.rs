//! The types of numbers as the processor keeps them, and what is computed of
//! each: `f32` has ways of its own where they are quicker.

use std::sync::Mutex;

use super::super::super::number::{Element, Real};
use super::super::Unary;
use super::products::product_f64;
use super::{bell, elementary};
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
    fn exponential(self) -> Self;
    fn logarithm(self) -> Self;
    fn tangent(self) -> Self;
    fn logistic(self) -> Self;
    fn gelu(self) -> Self;
    fn gelu_slope(self) -> Self;

    /// Writes each line of `a` times each line of `b` into rows of `out`.
    fn product(a: Lines<Self>, b: Lines<Self>, out: &mut [Self]);
}

impl Number for f32 {
    #[inline(always)]
    fn exponential(self) -> f32 {
        elementary::exp(self)
    }

    #[inline(always)]
    fn logarithm(self) -> f32 {
        elementary::log(self)
    }

    #[inline(always)]
    fn tangent(self) -> f32 {
        elementary::tanh(self)
    }

    #[inline(always)]
    fn logistic(self) -> f32 {
        elementary::sigmoid(self)
    }

    #[inline(always)]
    fn gelu(self) -> f32 {
        bell::gelu(self)
    }

    #[inline(always)]
    fn gelu_slope(self) -> f32 {
        bell::gelu_slope(self)
    }

    fn product(a: Lines<f32>, b: Lines<f32>, out: &mut [f32]) {
        product(a, b, out);
    }
}

// The functions of a library: none of these is in a loop that must be quick.
impl Number for f64 {
    fn exponential(self) -> f64 {
        self.exp()
    }

    fn logarithm(self) -> f64 {
        self.ln()
    }

    fn tangent(self) -> f64 {
        self.tanh()
    }

    fn logistic(self) -> f64 {
        Unary::Sigmoid.apply(self)
    }

    fn gelu(self) -> f64 {
        Unary::Gelu.apply(self)
    }

    fn gelu_slope(self) -> f64 {
        Unary::GeluSlope.apply(self)
    }

    fn product(a: Lines<f64>, b: Lines<f64>, out: &mut [f64]) {
        product_f64(a, b, out);
    }
}
