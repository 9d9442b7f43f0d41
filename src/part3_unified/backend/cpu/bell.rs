//! The Gaussian error linear unit and its slope: a share of a bell curve, by
//! one exponential and a polynomial, for as many numbers at once as a processor
//! has lanes. A library's error function takes them one by one.

use std::f32::consts::SQRT_2;

use super::elementary::{self, Fma, at_least, at_most};

/// Takes apart what share of a bell curve lies beyond `|x|`: it is `height *
/// tQ(t)`, with a height of `e^(-x^2 / 2)` and `t = 1 / (1 + |x| / sqrt(8))`;
/// this `Q` errs by less than a part in 10^8. Returns the height and `tQ(t)`.
#[inline(always)]
fn beyond(fma: Fma, x: f32) -> [f32; 2] {
    // It is half of `erfc(z) e^(z^2) / t` with `z = |x| / sqrt(2)`, of which
    // the polynomial meets 11 values.
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
    // There the curve is 0.
    let x = at_most(15.0, x.abs());
    let t = 1.0 / fma.sum(x, SQRT_2 / 4.0, 1.0);
    let [first, terms @ ..] = TERMS;
    let series = terms.into_iter().fold(first, |sum, k| fma.sum(sum, t, k));
    [elementary::bell(fma, x), t * series]
}

/// Computes `x` times the share of the curve below it: `x`, or 0 where that is
/// more, without `|x|` times the share beyond. It errs by at most 6.5 units in
/// the last place, its slope by 2.5e-7.
#[inline(always)]
pub(super) fn gelu(fma: Fma, x: f32) -> f32 {
    let [height, share] = beyond(fma, x);
    // Infinity times 0 would be no number.
    let less = if x <= 0.0 { x } else { at_least(-15.0, -x) };
    fma.sum(less * share, height, at_least(0.0, x))
}

#[inline(always)]
pub(super) fn gelu_slope(fma: Fma, x: f32) -> f32 {
    /// The curve at 0.
    const HIGHEST: f32 = 0.398_942_3;
    let [height, share] = beyond(fma, x);
    let more = height * fma.sum(x.abs(), HIGHEST, -share);
    if x < 0.0 { -more } else { 1.0 + more }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

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
    fn gelu_errs_by_few_units_and_its_slope_by_few_of_those_of_1() {
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
                let units = units(found, wide * below);
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
