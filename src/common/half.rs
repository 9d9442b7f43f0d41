//! The half-precision type `f16`, built in "Numbers of three sizes".
//!
//! Stable Rust does not have such a type yet. This one only stores values:
//! arithmetic converts to `f32` and rounds the result.

use std::cmp::Ordering;
use std::fmt;

// ANCHOR: f16
/// A 16-bit floating-point number: 1 sign bit, 5 exponent bits and 10 mantissa
/// bits after an implicit leading 1. The largest value is 65504, the smallest
/// positive value 2^-24. From 2^-14 on, neighboring values differ by at most
/// 1/1024 of the smaller one.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F16(u16);
// ANCHOR_END: f16

impl F16 {
    /// The largest finite value, 65504.
    pub const MAX: F16 = F16(0x7bff);
    /// The difference between 1 and the next larger value, 2^-10.
    pub const EPSILON: F16 = F16(0x1400);

    /// Creates a number from its bits.
    pub const fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    /// Returns the bits of the number.
    pub const fn to_bits(self) -> u16 {
        self.0
    }
}

// ANCHOR: round
impl F16 {
    /// Rounds an `f32` to the nearest `F16`, ties to even.
    ///
    /// The processor does the rounding: `large` is the power of two whose last
    /// mantissa bit is worth one unit in the last place of the result, so the
    /// sum is rounded to such units. Its mantissa counts them.
    #[inline]
    pub fn round(x: f32) -> F16 {
        /// The biased exponent of 2^-14. Below it, the unit is constant.
        const MIN_EXPONENT: u32 = 127 - 14;
        let sign = (x.to_bits() >> 16) as u16 & 0x8000;
        let magnitude = x.abs().to_bits();
        if x.is_nan() {
            return F16(sign | 0x7e00);
        }
        // Everything from 65536 on becomes infinite.
        let magnitude = magnitude.min(65536_f32.to_bits());
        let exponent = (magnitude >> 23).max(MIN_EXPONENT);
        let large = (exponent + 13) << 23;
        let sum = f32::from_bits(magnitude) + f32::from_bits(large);
        let units = sum.to_bits() - large;
        F16(sign | (((exponent - MIN_EXPONENT) << 10) + units) as u16)
    }
}
// ANCHOR_END: round

impl F16 {
    /// Rounds an `f64` to the nearest `F16`, ties to even.
    ///
    /// Rounding to the nearest `f32` first would round twice. Instead, an
    /// inexact value is truncated and its last bit set ("round to odd"), which
    /// keeps it on the correct side of a tie.
    #[inline]
    pub fn round_f64(x: f64) -> F16 {
        let near = x as f32;
        let bits = match f64::from(near.abs()).partial_cmp(&x.abs()) {
            Some(Ordering::Greater) => (near.to_bits() - 1) | 1,
            Some(Ordering::Less) => near.to_bits() | 1,
            _ => near.to_bits(),
        };
        F16::round(f32::from_bits(bits))
    }
}

impl From<F16> for f32 {
    /// Converts exactly. The exponent biases differ by 112; multiplying by
    /// 2^112 adjusts the exponent and normalizes subnormal values as well.
    #[inline]
    fn from(x: F16) -> f32 {
        let sign = u32::from(x.0 & 0x8000);
        let magnitude = u32::from(x.0 & 0x7fff);
        let scaled = f32::from_bits(magnitude << 13) * 2_f32.powi(112);
        let magnitude = match magnitude >= 0x7c00 {
            true => (magnitude << 13) | f32::INFINITY.to_bits(),
            false => scaled.to_bits(),
        };
        f32::from_bits(sign << 16 | magnitude)
    }
}

impl From<F16> for f64 {
    #[inline]
    fn from(x: F16) -> f64 {
        f32::from(x).into()
    }
}

impl PartialEq for F16 {
    fn eq(&self, other: &F16) -> bool {
        f32::from(*self) == f32::from(*other)
    }
}

impl PartialOrd for F16 {
    fn partial_cmp(&self, other: &F16) -> Option<Ordering> {
        f32::from(*self).partial_cmp(&f32::from(*other))
    }
}

impl fmt::Display for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f32::from(*self).fmt(f)
    }
}

impl fmt::LowerExp for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f32::from(*self).fmt(f)
    }
}

impl fmt::Debug for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}_f16")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the value of a bit pattern by the definition of the format.
    fn value(bits: u16) -> f64 {
        let (exponent, digits) = (bits >> 10 & 31, f64::from(bits & 1023));
        let size = match exponent {
            0 => digits / 1024.0 * 2_f64.powi(-14),
            31 if digits == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + digits / 1024.0) * 2_f64.powi(exponent as i32 - 15),
        };
        if bits >> 15 == 1 { -size } else { size }
    }

    /// Promise: Every `f16` bit pattern survives the conversion to `f32` and
    /// back.
    #[test]
    fn every_f16_survives_a_round_trip() {
        for bits in 0..=u16::MAX {
            let (half, right) = (F16::from_bits(bits), value(bits));
            let (small, large) = (f32::from(half), f64::from(half));
            if right.is_nan() {
                assert!(small.is_nan() && F16::round(small).0 & 0x3ff != 0);
                continue;
            }
            assert_eq!((f64::from(small), large), (right, right), "{bits:#x}");
            assert_eq!(F16::round(small).0, bits, "{small}");
            assert_eq!(F16::round_f64(large).0, bits, "{large}");
        }
    }

    /// Tests the midpoint of each pair of neighbors and the closest values
    /// below and above it.
    ///
    /// Promise: Conversion to `f16` rounds to nearest, ties to even.
    #[test]
    fn f16_rounds_to_nearest_ties_to_even() {
        for bits in 0..0x7c00_u16 {
            let low = value(bits);
            // The next value after the largest finite one would be 65536.
            let high = match bits {
                0x7bff => 65536.0,
                _ => value(bits + 1),
            };
            let middle = f64::midpoint(low, high);
            let even = bits + (bits & 1);
            let near = middle as f32;
            for (x, right) in [
                (near.next_down(), bits),
                (near, even),
                (near.next_up(), bits + 1),
            ] {
                assert_eq!(F16::round(x).0, right, "{x}");
                assert_eq!(F16::round(-x).0, right | 0x8000, "-{x}");
            }
            for (x, right) in [
                (middle.next_down(), bits),
                (middle, even),
                (middle.next_up(), bits + 1),
            ] {
                assert_eq!(F16::round_f64(x).0, right, "{x} of 64 bits");
                assert_eq!(F16::round_f64(-x).0, right | 0x8000, "-{x}");
            }
        }
    }

    #[test]
    fn f16_overflows_to_infinity_and_underflows_to_0() {
        let bits = |x: f32| (F16::round(x).0, F16::round_f64(x.into()).0);
        for (x, right) in [
            (1e30, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (f32::NEG_INFINITY, 0xfc00),
            (1e-30, 0),
            (-1e-45, 0x8000),
            (-0.0, 0x8000),
        ] {
            assert_eq!(bits(x), (right, right), "{x}");
        }
        assert_eq!(F16::round_f64(1e300).0, 0x7c00);
        assert_eq!(F16::round_f64(-1e-300).0, 0x8000);
        assert!(f32::from(F16::round_f64(f64::NAN)).is_nan());
        assert!(
            F16::MAX < F16::round(1e9)
                && F16::EPSILON == F16::round(0.0009765625)
        );
        assert_eq!(
            format!("{} {:?}", F16::MAX, F16::EPSILON),
            "65504 0.0009765625_f16"
        );
    }
}
