//! Exponentials and what is made of them, many at a time. Each is computed in
//! `f64` and rounded once, so it errs by at most 0.51 units in the last place:
//! a few additions and products, which a processor does for eight numbers at
//! once, where a library's function takes them one by one.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

use pulp::{Arch, Simd, WithSimd};

/// Computes `f` of each number, by instructions as wide as this processor has
/// them.
pub(super) fn each(x: &[f32], out: &mut [f32], f: impl Fn(f32) -> f32) {
    struct Each<'a, F>(&'a [f32], &'a mut [f32], F);

    impl<F: Fn(f32) -> f32> WithSimd for Each<'_, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let Each(x, out, f) = self;
            out.iter_mut().zip(x).for_each(|(out, x)| *out = f(*x));
        }
    }

    Arch::new().dispatch(Each(x, out, f));
}

/// Computes the exponential of what is at most 700 on either side of 0.
///
/// `e^x = 2^n * e^r` with a whole `n`, so `r` is at most half of `ln 2`, and
/// ten terms of its series err by less than a part in 10^11.
#[inline(always)]
fn power(x: f64) -> f64 {
    /// From here to its double, neighbors are 1 apart: to add it rounds.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let whole = x * LOG2_E + WHOLE;
    let n = whole - WHOLE;
    let r = (x * LOG2_E - n) * LN_2;
    let series = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
        .into_iter()
        .fold(1.0, |sum, k| 1.0 + sum * r * (1.0 / k));
    // The exponent of 2^n is made of the lowest bits of the sum.
    let scale = f64::from_bits(whole.to_bits().wrapping_add(1023) << 52);
    series * scale
}

#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Beyond, the result is 0 or infinite. A NaN stays one.
    power(f64::from(x.clamp(-104.0, 89.0))) as f32
}

#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    (1.0 / (1.0 + power(-f64::from(x.clamp(-104.0, 104.0))))) as f32
}

#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let z = f64::from(x.clamp(-20.0, 20.0));
    let e = power(2.0 * z);
    // Near 0 the difference would lose digits, and two terms of the series are
    // enough.
    let small = z * (1.0 - z * z / 3.0);
    let quotient = (e - 1.0) / (e + 1.0);
    (if z.abs() < 0.005 { small } else { quotient }) as f32
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
    let log = f64::from(n) * LN_2 + 2.0 * (s + s * s * s * series);
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
    fn they_err_by_half_a_unit_in_the_last_place() {
        type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
        let functions: [Pair; 4] = [
            ("exp", exp, f64::exp),
            ("log", log, f64::ln),
            ("tanh", tanh, f64::tanh),
            ("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
        ];
        for (name, mine, right) in functions {
            // Every 1999th number that there is: of each sign and size.
            for bits in (0..=u32::MAX).step_by(1999) {
                let x = f32::from_bits(bits);
                let (mine, right) = (mine(x), right(f64::from(x)));
                let alike =
                    mine == right as f32 || mine.is_nan() && right.is_nan();
                assert!(
                    alike || units(mine, right) <= 0.51,
                    "{name} of {x}: {mine}, right is {right}"
                );
            }
        }
    }

    #[test]
    fn before_it_is_rounded_an_exponential_errs_by_a_part_in_10_to_the_11() {
        for step in -5000..=5000 {
            let x = f64::from(step) / 1000.0;
            let error = (power(x) / x.exp() - 1.0).abs();
            assert!(error < 1e-11, "e to {x} is wrong by {error:e}");
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
