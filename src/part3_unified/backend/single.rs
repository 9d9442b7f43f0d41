//! What operations are of single numbers.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::super::number::Real;
use super::Unary;

impl Unary {
    /// Computes it of one number. A device that computes on the processor may
    /// leave to this what it has no faster way for.
    pub fn apply<T: Real>(self, x: T) -> T {
        let (zero, one) = (T::zero(), T::one());
        match self {
            Unary::Scale(number) => x * T::nearest(number),
            Unary::Shift(number) => x + T::nearest(number),
            Unary::DivScalar(number) => x / T::nearest(number),
            Unary::RdivScalar(number) => T::nearest(number) / x,
            Unary::Sqrt => x.sqrt(),
            Unary::Square => x * x,
            Unary::Pow(number) => x.powf(T::nearest(number)),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Relu if x <= zero => zero,
            Unary::Relu => x,
            Unary::Tanh => x.tanh(),
            Unary::Sigmoid => {
                // 1 / (1 + e^-x), without a large exponential.
                let small = (-x.abs()).exp();
                (if x < zero { small } else { one }) / (one + small)
            }
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Erf => x.erf(),
            Unary::Gelu => x * below(x),
            Unary::GeluSlope => {
                let height = (x * x * T::nearest(-0.5)).exp();
                below(x) + x * height * T::nearest(HEIGHT)
            }
            Unary::Log1p => x.ln_1p(),
            Unary::Floor => x.floor(),
            Unary::Round => x.round_ties_even(),
            Unary::Sign => truth::<T>(x > zero) - truth(x < zero),
        }
    }
}

/// Returns 1 for what is so, else 0.
#[inline(always)]
pub(super) fn truth<T: Real>(is: bool) -> T {
    if is { T::one() } else { T::zero() }
}

impl Unary {
    /// Raises to the power of a number, by the shortest way.
    pub fn power(number: f64) -> Unary {
        match number {
            -1.0 => Unary::RdivScalar(1.0),
            0.5 => Unary::Sqrt,
            2.0 => Unary::Square,
            _ => Unary::Pow(number),
        }
    }
}

/// How high a bell curve is in the middle: `1 / sqrt(2 pi)`.
const HEIGHT: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// Computes the share of a bell that lies below a number.
fn below<T: Real>(x: T) -> T {
    let half = T::nearest(0.5);
    half + half * (x * T::nearest(FRAC_1_SQRT_2)).erf()
}
