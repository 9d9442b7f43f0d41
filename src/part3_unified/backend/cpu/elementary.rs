//! Exponentials and what is made of them, many at a time: a few additions and
//! products, which a processor does for sixteen numbers at once, where a
//! library's function takes them one by one. An exponential errs by at most one
//! unit in the last place, what is made of it by 2.5; a logarithm is computed
//! in `f64` and rounded once.

use std::f32::consts::{LN_2, LOG2_E};
use std::f64;
use std::f64::consts::SQRT_2;

use pulp::{Arch, Simd, WithSimd};

/// Computes `f` of each number, by instructions as wide as this processor has
/// them.
pub(super) fn each<T: Copy>(x: &[T], out: &mut [T], f: impl Fn(T) -> T) {
    struct Each<'a, T, F>(&'a [T], &'a mut [T], F);

    impl<T: Copy, F: Fn(T) -> T> WithSimd for Each<'_, T, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let Each(x, out, f) = self;
            out.iter_mut().zip(x).for_each(|(out, x)| *out = f(*x));
        }
    }

    Arch::new().dispatch(Each(x, out, f));
}

/// Takes `e^x = 2^n * (1 + rest)` apart, with a whole `n`: what is near 1 keeps
/// the digits of its difference from 1.
///
/// What `n` leaves of `x` is at most half of `ln 2`, and seven terms of its
/// series are enough for 24 bits.
#[inline(always)]
fn parts(x: f32) -> (f32, f32) {
    /// The first bits of `ln 2`: times `n` they are exact.
    const FIRST: f32 = f32::from_bits(LN_2.to_bits() & !0xfff);
    const REST: f32 = (f64::consts::LN_2 - FIRST as f64) as f32;
    let n = (x * LOG2_E + WHOLE) - WHOLE;
    let r = (x - n * FIRST) - n * REST;
    let [first, terms @ ..] = SERIES;
    let sum = terms.into_iter().fold(first, |sum, term| sum * r + term);
    (n, r + r * r * sum)
}

/// From here to its double, neighbors are 1 apart: to add it rounds.
const WHOLE: f32 = 12_582_912.0;

/// Lists `1 / k!` from the seventh to the second.
const SERIES: [f32; 6] =
    [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];

/// Computes `2^n` of a whole number from -126 to 127.
#[inline(always)]
fn two_to(n: f32) -> f32 {
    // To be added to `WHOLE` puts it in the lowest bits.
    f32::from_bits((n + WHOLE).to_bits().wrapping_add(127) << 23)
}

#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Beyond, the result is 0 or infinite. A NaN stays one.
    let (n, rest) = parts(x.clamp(-104.0, 89.0));
    // The smallest and the largest are reached in two steps.
    let half = (n * 0.5 + WHOLE) - WHOLE;
    (1.0 + rest) * two_to(half) * two_to(n - half)
}

#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    (if x < 0.0 { small } else { 1.0 }) / (1.0 + small)
}

#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let (n, rest) = parts(-2.0 * x.abs().clamp(0.0, 20.0));
    let scale = two_to(n);
    // What e^(-2|x|) is more than 1.
    let more = rest * scale + (scale - 1.0);
    (-more / (2.0 + more)).copysign(x)
}

/// Computes `ln x = n ln 2 + ln m`, with `m` between the root of a half and
/// that of 2; and `ln m` is twice the area tangent of `s = (m - 1) / (m + 1)`.
#[inline(always)]
pub(super) fn log(x: f32) -> f32 {
    /// The exponents count from here, so that none is negative.
    const FROM: u64 = (SQRT_2 / 2.0).to_bits().wrapping_sub(1024 << 52);
    let bits = f64::from(x).to_bits();
    let n = (bits.wrapping_sub(FROM) >> 52) as i32 - 1024;
    let m = f64::from_bits(bits.wrapping_sub((n as u64) << 52));
    let s = (m - 1.0) / (m + 1.0);
    let series = [11.0, 9.0, 7.0, 5.0, 3.0]
        .into_iter()
        .fold(1.0 / 13.0, |sum, k| 1.0 / k + sum * s * s);
    let log = f64::from(n) * f64::consts::LN_2 + 2.0 * (s + s * s * s * series);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the units in the last place that lie between a result and the
    /// truth.
    fn units(found: f32, right: f64) -> f64 {
        let rounded = right as f32;
        let unit =
            f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
        (f64::from(found) - right).abs() / unit
    }

    #[test]
    fn they_err_by_few_units_in_the_last_place() {
        type Row = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);
        let functions: [Row; 4] = [
            ("exp", exp, f64::exp, 1.0),
            ("log", log, f64::ln, 0.51),
            ("tanh", tanh, f64::tanh, 2.5),
            ("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp()), 2.5),
        ];
        for (name, mine, right, most) in functions {
            let mut worst = (0.0, 0.0);
            // Every 1999th number that there is: of each sign and size.
            for bits in (0..=u32::MAX).step_by(1999) {
                let x = f32::from_bits(bits);
                let (mine, right) = (mine(x), right(f64::from(x)));
                if mine != right as f32 && !(mine.is_nan() && right.is_nan()) {
                    let units = units(mine, right);
                    if units.is_nan() || units > worst.0 {
                        worst = (units, x);
                    }
                }
            }
            assert!(worst.0 <= most, "{name} errs by {worst:?} units");
        }
    }

    #[test]
    fn the_ends_are_exact() {
        let [inf, nan] = [f32::INFINITY, f32::NAN];
        assert_eq!([-inf, 0.0, inf].map(exp), [0.0, 1.0, inf]);
        assert_eq!([-0.0, 0.0, 1.0, inf].map(log), [-inf, -inf, 0.0, inf]);
        assert_eq!([-inf, 0.0, inf].map(tanh), [-1.0, 0.0, 1.0]);
        assert!(tanh(-0.0).is_sign_negative());
        assert_eq!([-inf, 0.0, inf].map(sigmoid), [0.0, 0.5, 1.0]);
        assert!([exp, log, tanh, sigmoid].iter().all(|f| f(nan).is_nan()));
        assert!(log(-1.0).is_nan() && log(-inf).is_nan());
    }
}
