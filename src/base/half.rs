//! A number in 16 bits, built in "Numbers of three sizes".
//!
//! Rust has no such type yet. It is kept here and not computed with: who
//! computes makes an `f32` of it, and rounds the result.

use std::cmp::Ordering;
use std::fmt;

// ANCHOR: f16
/// A number in 16 bits: one for the sign, five for the exponent, ten for the
/// digits behind the leading 1. The largest is 65504, the smallest above 0 is
/// 2^-24, and of neighbors the larger one is at most 1/1024 larger from 2^-14
/// on.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F16(u16);
// ANCHOR_END: f16

impl F16 {
    /// The largest that is finite.
    pub const MAX: F16 = F16(0x7bff);
    /// The distance from 1 to its neighbor: 2^-10.
    pub const EPSILON: F16 = F16(0x1400);

    /// Takes the bits as they are.
    pub const fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }
}

// ANCHOR: round
impl F16 {
    /// Rounds to the nearest; of two that are as near to the even one.
    ///
    /// To add a number whose last bit is worth a unit of the result rounds to
    /// such units: the processor does it. What lies beneath the exponent of
    /// the result counts them.
    #[inline]
    pub fn round(x: f32) -> F16 {
        /// The exponent of 2^-14, beneath which units stay as they are.
        const LEAST: u32 = 127 - 14;
        let sign = (x.to_bits() >> 16) as u16 & 0x8000;
        let size = x.abs().to_bits();
        if x.is_nan() {
            return F16(sign | 0x7e00);
        }
        // From 65536 on all are infinite.
        let size = size.min(65536_f32.to_bits());
        let exponent = (size >> 23).max(LEAST);
        let large = (exponent + 13) << 23;
        let sum = f32::from_bits(size) + f32::from_bits(large);
        let units = sum.to_bits() - large;
        F16(sign | (((exponent - LEAST) << 10) + units) as u16)
    }
}
// ANCHOR_END: round

impl F16 {
    /// Rounds an `f64`. To round it to `f32` first would round
    /// twice: so what is cut off there is marked in the last bit.
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
    /// Moves the digits to their place, and the exponent by 112: a product
    /// does that for the smallest, too.
    #[inline]
    fn from(x: F16) -> f32 {
        let (sign, size) = (u32::from(x.0 & 0x8000), u32::from(x.0 & 0x7fff));
        let moved = f32::from_bits(size << 13) * 2_f32.powi(112);
        let size = match size >= 0x7c00 {
            true => (size << 13) | f32::INFINITY.to_bits(),
            false => moved.to_bits(),
        };
        f32::from_bits(sign << 16 | size)
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

    /// Returns the value of some bits, by the definition.
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
    fn every_half_has_the_value_of_its_bits_and_comes_back() {
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

    /// Between two neighbors, at their middle, and beside it by as little as
    /// there is.
    ///
    /// Promise: Conversion to `f16` rounds to nearest, ties to even.
    #[test]
    fn the_nearest_is_taken_and_of_two_the_even_one() {
        for bits in 0..0x7c00_u16 {
            let low = value(bits);
            // Behind the largest the next would be 65536.
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
    fn what_is_too_large_is_infinite_and_what_is_too_small_is_0() {
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
