//! `exp`, `log`, `tanh` and `sigmoid` for `f32`, in a form that the compiler
//! vectorizes. The library's functions compute one element at a time.
//!
//! - `exp`: write `e^x = 2^n * e^r` with an integer `n` and `|r| <= ln(2) /
//!   2`. `2^n` is assembled from its bits, `e^r` is a polynomial. The error is
//!   at most one unit in the last place.
//! - `tanh` and `sigmoid` are quotients of such exponentials, with an error of
//!   at most 2.5 units.
//! - `log` is computed in `f64` and rounded once.
//!
//! The last bits depend on whether the processor has a fused multiply-add.

use std::f32::consts::{LN_2, LOG2_E};
use std::f64;
use std::f64::consts::SQRT_2;

use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};

/// Whether a loop is compiled for a processor with a fused multiply-add (FMA),
/// which rounds once.
#[derive(Clone, Copy)]
pub(crate) struct Fma(bool);

impl Fma {
    /// Without and with FMA.
    #[cfg(test)]
    pub(super) const BOTH: [Fma; 2] = [Fma(false), Fma(true)];

    #[inline(always)]
    pub(crate) fn for_simd<S: Simd>() -> Fma {
        Fma(cfg!(target_arch = "aarch64") || S::F32_LANES >= 8)
    }

    /// Returns `a * b + c`.
    #[inline(always)]
    pub(super) fn sum<T: Float>(self, a: T, b: T, c: T) -> T {
        if self.0 { a.mul_add(b, c) } else { a * b + c }
    }
}

/// Applies `f` to each element, in a loop compiled for the widest registers of
/// this processor.
pub(super) fn each<T: Copy>(x: &[T], out: &mut [T], f: impl Fn(Fma, T) -> T) {
    struct Each<'a, T, F>(&'a [T], &'a mut [T], F);

    impl<T: Copy, F: Fn(Fma, T) -> T> WithSimd for Each<'_, T, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let (Each(x, out, f), fma) = (self, Fma::for_simd::<S>());
            for (out, x) in out.iter_mut().zip(x) {
                *out = f(fma, *x);
            }
        }
    }

    Arch::new().dispatch(Each(x, out, f));
}

/// Splits `x = n ln(2) + r` with an integer `n`, so that `e^x = 2^n * e^r`.
/// Returns an integer whose lowest bits are `n + added`, and `r`.
#[inline(always)]
fn split(fma: Fma, x: f32, added: f32) -> (u32, f32) {
    /// The first 12 bits of `ln(2)`, so that their product with `n` is exact.
    const LN_2_HIGH: f32 = f32::from_bits(LN_2.to_bits() & !0xfff);
    const LN_2_LOW: f32 = (f64::consts::LN_2 - LN_2_HIGH as f64) as f32;
    /// 1.5 * 2^23: adding it rounds an `f32` to an integer.
    const ROUND_TO_INT: f32 = 12_582_912.0;
    let shifted = fma.sum(x, LOG2_E, ROUND_TO_INT + added);
    let n = shifted - (ROUND_TO_INT + added);
    let r = fma.sum(-n, LN_2_LOW, fma.sum(-n, LN_2_HIGH, x));
    (shifted.to_bits(), r)
}

/// Computes `e^r - 1`, which is accurate near 0. Because `|r| <= ln(2) / 2`,
/// powers up to the sixth are enough for 24 bits.
#[inline(always)]
fn exp_m1(fma: Fma, r: f32) -> f32 {
    let [first, terms @ ..] = SERIES;
    let sum = terms.into_iter().fold(first, |sum, term| fma.sum(sum, r, term));
    fma.sum(r * r, sum, r)
}

/// `1 / k!` for `k` from 6 down to 2, each adjusted slightly to make up for
/// the omitted terms: the relative error is below 1e-8.
const SERIES: [f32; 5] =
    [0.001_381_454, 0.008_368_745, 0.041_668_39, 0.166_665_21, 0.499_999_94];

/// The exponent bias of `f32`.
const BIAS: f32 = 127.0;

/// Returns the power of two whose biased exponent is in the lowest bits of
/// `exponent`.
#[inline(always)]
fn two_to(exponent: u32) -> f32 {
    f32::from_bits(exponent << 23)
}

/// Returns the larger of two values; NaN if `x` is NaN.
#[inline(always)]
pub(super) fn at_least(min: f32, x: f32) -> f32 {
    if x < min { min } else { x }
}

/// Returns the smaller of two values; NaN if `x` is NaN.
#[inline(always)]
pub(super) fn at_most(max: f32, x: f32) -> f32 {
    if x > max { max } else { x }
}

#[inline(always)]
pub(super) fn exp(fma: Fma, x: f32) -> f32 {
    // The result is 0 below this range and infinite above it.
    let x = at_least(-104.0, at_most(89.0, x));
    let (n, r) = split(fma, x, 2.0 * BIAS);
    scaled_exp(fma, n, r)
}

/// Computes `e^(-x^2 / 2)` for `x` from 0 to 15. The rounding error of `x^2`
/// would be too large here, so `x` is split: the square of its first 12 bits
/// is exact, and the rest of the square, `(x - high) (x + high)`, is small.
#[inline(always)]
pub(super) fn gauss(fma: Fma, x: f32) -> f32 {
    let high = f32::from_bits(x.to_bits() & !0xfff);
    let (n, r) = split(fma, -0.5 * high * high, 2.0 * BIAS);
    scaled_exp(fma, n, fma.sum(-0.5 * (x - high), x + high, r))
}

/// Computes `2^n * e^r`, where `n` is biased twice. Multiplying by two powers
/// of two, about `2^(n/2)` each, covers the subnormal and the largest results.
#[inline(always)]
fn scaled_exp(fma: Fma, n: u32, r: f32) -> f32 {
    let (half, other) = (two_to(n >> 1), two_to(n - (n >> 1)));
    fma.sum(exp_m1(fma, r), half, half) * other
}

/// Computes `1 / (1 + e^-x)`. The numerator and the denominator are scaled by
/// `2^-64`, so that `e^-x` does not overflow.
#[inline(always)]
pub(super) fn sigmoid(fma: Fma, x: f32) -> f32 {
    const SCALE_BITS: f32 = 64.0;
    let one = two_to((BIAS - SCALE_BITS) as u32);
    // The result is 0 where `-x` is above this range and 1 below it.
    let x = at_most(104.0, at_least(-40.0, -x));
    let (n, r) = split(fma, x, BIAS - SCALE_BITS);
    let scale = two_to(n);
    one / fma.sum(exp_m1(fma, r), scale, scale + one)
}

/// Computes `tanh |x| = -d / (2 + d)` with `d = e^(-2 |x|) - 1`, and restores
/// the sign of `x`.
#[inline(always)]
pub(super) fn tanh(fma: Fma, x: f32) -> f32 {
    let (n, r) = split(fma, at_least(-40.0, -2.0 * x.abs()), BIAS);
    let scale = two_to(n);
    let d = fma.sum(exp_m1(fma, r), scale, scale - 1.0);
    (d / (2.0 + d)).copysign(x)
}

/// Computes `ln x = n ln 2 + ln m`, with `m` between `sqrt(1/2)` and
/// `sqrt(2)`; and `ln m = 2 artanh(s)` with `s = (m - 1) / (m + 1)`, by its
/// series.
#[inline(always)]
pub(super) fn log(fma: Fma, x: f32) -> f32 {
    /// The bits of `sqrt(1/2)`, with 1024 subtracted from the exponent so that
    /// the difference of the exponents below is not negative.
    const BASE: u64 = (SQRT_2 / 2.0).to_bits().wrapping_sub(1024 << 52);
    let bits = f64::from(x).to_bits();
    let n = (bits.wrapping_sub(BASE) >> 52) as i32 - 1024;
    let m = f64::from_bits(bits.wrapping_sub((n as u64) << 52));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let series = [11.0, 9.0, 7.0, 5.0, 3.0]
        .into_iter()
        .fold(1.0 / 13.0, |sum, k| fma.sum(sum, square, 1.0 / k));
    let log = 2.0 * fma.sum(square * s, series, s);
    let log = fma.sum(f64::from(n), f64::consts::LN_2, log);
    if x > 0.0 && x < f32::INFINITY {
        log as f32
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

/// Returns the error of a result in units in the last place.
#[cfg(test)]
pub(super) fn units_in_last_place(found: f32, right: f64) -> f64 {
    let rounded = right as f32;
    let unit = f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
    (f64::from(found) - right).abs() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_a_few_units_in_the_last_place() {
        type Row = (&'static str, fn(Fma, f32) -> f32, fn(f64) -> f64, f64);
        let functions: [Row; 4] = [
            ("exp", exp, f64::exp, 1.0),
            ("log", log, f64::ln, 0.51),
            ("tanh", tanh, f64::tanh, 2.5),
            ("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp()), 2.5),
        ];
        for (name, mine, right, max_units) in functions {
            let mut worst = [(0.0, 0.0); 2];
            // Every 9973rd bit pattern, which covers all signs and magnitudes.
            for bits in (0..=u32::MAX).step_by(9973) {
                let x = f32::from_bits(bits);
                let right = right(f64::from(x));
                for (worst, fma) in worst.iter_mut().zip(Fma::BOTH) {
                    let mine = mine(fma, x);
                    if mine == right as f32 || mine.is_nan() && right.is_nan() {
                        continue;
                    }
                    let units = units_in_last_place(mine, right);
                    if units.is_nan() || units > worst.0 {
                        *worst = (units, x);
                    }
                }
            }
            let is_accurate =
                worst.iter().all(|(units, _)| *units <= max_units);
            assert!(is_accurate, "{name} errs by {worst:?} units");
        }
    }

    #[test]
    fn special_values_are_exact() {
        let [inf, nan] = [f32::INFINITY, f32::NAN];
        for fma in Fma::BOTH {
            let [exp, log, tanh, sigmoid] =
                [exp, log, tanh, sigmoid].map(|f| move |x| f(fma, x));
            assert_eq!([-inf, 0.0, inf].map(exp), [0.0, 1.0, inf]);
            assert_eq!([-0.0, 0.0, 1.0, inf].map(log), [-inf, -inf, 0.0, inf]);
            assert_eq!([-inf, 0.0, inf].map(tanh), [-1.0, 0.0, 1.0]);
            assert!(tanh(-0.0).is_sign_negative());
            assert_eq!([-inf, 0.0, inf].map(sigmoid), [0.0, 0.5, 1.0]);
            assert!([exp, log, tanh, sigmoid].iter().all(|f| f(nan).is_nan()));
            assert!(log(-1.0).is_nan() && log(-inf).is_nan());
        }
    }
}
