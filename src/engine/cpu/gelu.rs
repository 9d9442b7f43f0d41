//! The Gaussian error linear unit and its derivative, in a form that the
//! compiler vectorizes: one exponential and a polynomial. The library's `erf`
//! computes one element at a time.

use std::f32::consts::SQRT_2;

use super::elementary::{self, Fma, at_least, at_most};

/// Returns the two factors of the normal distribution's upper tail probability
/// at `|x|`: `e^(-x^2 / 2)` and `t Q(t)`, where `t = 1 / (1 + |x| / sqrt(8))`.
/// The relative error of the polynomial `Q` is below 1e-8.
#[inline(always)]
fn tail_factors(fma: Fma, x: f32) -> [f32; 2] {
    // `Q(t) = erfc(z) e^(z^2) / (2 t)` with `z = |x| / sqrt(2)`, interpolated
    // at 11 points.
    const TERMS: [f32; 11] = [
        0.017_230_056,
        -0.091_991_19,
        0.182_509_06,
        -0.134_039_13,
        -0.019_710_079,
        0.022_223_327,
        0.025_957_761,
        0.093_089_27,
        0.122_559_47,
        0.141_127_15,
        0.141_044_3,
    ];
    // Beyond 15 the density is 0 in `f32`.
    let x = at_most(15.0, x.abs());
    let t = 1.0 / fma.sum(x, SQRT_2 / 4.0, 1.0);
    let [first, terms @ ..] = TERMS;
    let series = terms.into_iter().fold(first, |sum, k| fma.sum(sum, t, k));
    [elementary::gauss(fma, x), t * series]
}

/// Computes GELU as `max(x, 0) - |x| * tail(|x|)`. The error is at most 6.5
/// units in the last place.
#[inline(always)]
pub(super) fn gelu(fma: Fma, x: f32) -> f32 {
    let [density, tail] = tail_factors(fma, x);
    // For a large positive `x`, clamp the factor: infinity * 0 would be NaN.
    let factor = if x <= 0.0 { x } else { at_least(-15.0, -x) };
    fma.sum(factor * tail, density, at_least(0.0, x))
}

/// Computes the derivative of GELU, with an absolute error of at most 2.5e-7.
#[inline(always)]
pub(super) fn gelu_slope(fma: Fma, x: f32) -> f32 {
    /// The density of the standard normal distribution at 0.
    const NORMAL_PDF_AT_0: f32 = 0.398_942_3;
    let [density, tail] = tail_factors(fma, x);
    // `|x| pdf(x) - tail(|x|)`: the derivative minus its limit, with the sign
    // of `x`.
    let rest = density * fma.sum(x.abs(), NORMAL_PDF_AT_0, -tail);
    if x < 0.0 { -rest } else { 1.0 + rest }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

    use super::elementary::units_in_last_place;
    use super::*;

    #[test]
    fn gelu_and_its_derivative_are_accurate() {
        for bits in (0..=u32::MAX).step_by(9973) {
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
                let units = units_in_last_place(found, wide * below);
                assert!(units <= 6.5, "gelu of {x}: {found}");
                let gap = (f64::from(gelu_slope(fma, x)) - slope).abs();
                assert!(gap <= 2.5e-7, "slope at {x}: {gap:e}");
            }
        }
        for fma in Fma::BOTH {
            let [gelu, slope] = [gelu, gelu_slope].map(|f| move |x| f(fma, x));
            assert!(gelu(f32::NAN).is_nan() && slope(f32::NAN).is_nan());
            let [inf, large] = [f32::INFINITY, f32::MAX];
            assert_eq!([-large, large, inf].map(gelu), [0.0, large, inf]);
            assert_eq!([-large, large].map(slope), [0.0, 1.0]);
            assert!(gelu(-inf).is_nan() && gelu(-0.0).is_sign_negative());
        }
    }
}
