//! The Gaussian error linear unit and its slope: a share of a bell curve, by
//! one exponential in `f64` and a polynomial, for as many numbers at once as a
//! processor has lanes. A library's error function takes them one by one.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LN_2, LOG2_E, SQRT_2};

use super::elementary::Fma;

/// Computes the exponential of what is at most 700 on either side of 0.
///
/// `e^x = 2^n * e^r` with a whole `n`, so `r` is at most half of `ln 2`, and
/// ten terms of its series err by less than a part in 10^11.
#[inline(always)]
fn power(fma: Fma, x: f64) -> f64 {
    /// From here to its double, neighbors are 1 apart: to add it rounds.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    /// Lists `1 / k!` from the ninth to the first, and 1.
    const SERIES: [f64; 10] = [
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let whole = fma.sum(x, LOG2_E, WHOLE);
    let n = whole - WHOLE;
    let r = fma.sum(x, LOG2_E, -n) * LN_2;
    let [first, terms @ ..] = SERIES;
    let series =
        terms.into_iter().fold(first, |sum, term| fma.sum(sum, r, term));
    // The exponent of 2^n is made of the lowest bits of the sum.
    let scale = f64::from_bits(whole.to_bits().wrapping_add(1023) << 52);
    series * scale
}

/// Computes the share of a bell curve that lies below `x`, and the height of
/// the curve there. Beyond `x` on the far side lies `t e^(-x^2/2) Q(t) / 2` with
/// `t = 1 / (1 + |x| / sqrt(8))`; this `Q` errs by less than a part in 10^8.
#[inline(always)]
fn bell(fma: Fma, x: f32) -> (f64, f64) {
    // It is `erfc(z) e^(z^2) / t` with `z = |x| / sqrt(2)`, of which
    // the polynomial meets 11 values.
    const TERMS: [f64; 11] = [
        0.034_460_111_755,
        -0.183_982_389_469,
        0.365_018_126_795,
        -0.268_078_262_824,
        -0.039_420_157_691,
        0.044_446_655_142,
        0.051_915_521_345,
        0.186_178_529_715,
        0.245_118_951_324,
        0.282_254_312_093,
        0.282_088_604_165,
    ];
    // Beyond, the curve is 0.
    let (out, x) = (x.abs() > 15.0, f64::from(x.clamp(-15.0, 15.0)));
    let t = 1.0 / fma.sum(x.abs(), SQRT_2 / 4.0, 1.0);
    let e = power(fma, -0.5 * x * x);
    let [first, terms @ ..] = TERMS;
    let series = terms.into_iter().fold(first, |sum, k| fma.sum(sum, t, k));
    let e = if out { 0.0 } else { e };
    let far = 0.5 * t * e * series;
    let below = if x < 0.0 { far } else { 1.0 - far };
    (below, e * (0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2))
}

#[inline(always)]
pub(super) fn gelu(fma: Fma, x: f32) -> f32 {
    (f64::from(x) * bell(fma, x).0) as f32
}

#[inline(always)]
pub(super) fn gelu_slope(fma: Fma, x: f32) -> f32 {
    let (below, height) = bell(fma, x);
    fma.sum(f64::from(x), height, below) as f32
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

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
    fn gelu_errs_by_little_more_and_its_slope_by_a_part_in_10_to_the_8() {
        for bits in (0..=u32::MAX).step_by(1999) {
            let x = f32::from_bits(bits);
            if !x.is_finite() {
                continue;
            }
            let wide = f64::from(x);
            let below = 0.5 * libm::erfc(-wide * FRAC_1_SQRT_2);
            let height = (-0.5 * wide * wide).exp() / (2.0 * PI).sqrt();
            let slope = below + wide * height;
            for fma in Fma::BOTH {
                let found = gelu(fma, x);
                let units = units(found, wide * below);
                assert!(units <= 0.6, "gelu of {x}: {found}");
                let gap = (f64::from(gelu_slope(fma, x)) - slope).abs();
                let most = 1e-8 + 6e-8 * slope.abs();
                assert!(gap <= most, "slope at {x}: {gap:e}");
            }
        }
        for fma in Fma::BOTH {
            let [gelu, slope] = [gelu, gelu_slope].map(|f| move |x| f(fma, x));
            assert!(gelu(f32::NAN).is_nan() && slope(f32::NAN).is_nan());
            assert_eq!(gelu(f32::INFINITY), f32::INFINITY);
        }
    }
}
