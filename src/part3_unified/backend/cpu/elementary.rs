//! Exponentials and what is made of them, many at a time: a few additions and
//! products, which a processor does for sixteen numbers at once, where a
//! library's function takes them one by one. An exponential errs by at most one
//! unit in the last place, what is made of it by 2.5; a logarithm is computed
//! in `f64` and rounded once. A processor that multiplies and adds at once may
//! have other last bits than one that does not.

use std::f32::consts::{LN_2, LOG2_E};
use std::f64;
use std::f64::consts::SQRT_2;

use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};

/// Says whether a loop is compiled for a processor that multiplies and adds in
/// one instruction, which rounds once.
#[derive(Clone, Copy)]
pub(in super::super) struct Fma(bool);

impl Fma {
    /// A loop that rounds each product, and one that does not.
    #[cfg(test)]
    pub(super) const BOTH: [Fma; 2] = [Fma(false), Fma(true)];

    #[inline(always)]
    pub(in super::super) fn of<S: Simd>() -> Fma {
        Fma(cfg!(target_arch = "aarch64") || S::F32_LANES >= 8)
    }

    /// Computes `a * b + c`.
    #[inline(always)]
    pub(super) fn sum<T: Float>(self, a: T, b: T, c: T) -> T {
        if self.0 { a.mul_add(b, c) } else { a * b + c }
    }
}

/// Computes `f` of each number, by instructions as wide as this processor has
/// them.
pub(super) fn each<T: Copy>(x: &[T], out: &mut [T], f: impl Fn(Fma, T) -> T) {
    struct Each<'a, T, F>(&'a [T], &'a mut [T], F);

    impl<T: Copy, F: Fn(Fma, T) -> T> WithSimd for Each<'_, T, F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let (Each(x, out, f), fma) = (self, Fma::of::<S>());
            for (out, x) in out.iter_mut().zip(x) {
                *out = f(fma, *x);
            }
        }
    }

    Arch::new().dispatch(Each(x, out, f));
}

/// Takes `e^x = 2^n * e^r` apart, with a whole `n`. The lowest bits of the first
/// result are `n`, and what is to be added to it.
#[inline(always)]
fn split(fma: Fma, x: f32, added: f32) -> (u32, f32) {
    /// The first bits of `ln 2`: times `n` they are exact.
    const FIRST: f32 = f32::from_bits(LN_2.to_bits() & !0xfff);
    const REST: f32 = (f64::consts::LN_2 - FIRST as f64) as f32;
    /// From here to its double, neighbors are 1 apart: to add it rounds.
    const WHOLE: f32 = 12_582_912.0;
    let whole = fma.sum(x, LOG2_E, WHOLE + added);
    let n = whole - (WHOLE + added);
    (whole.to_bits(), fma.sum(-n, REST, fma.sum(-n, FIRST, x)))
}

/// Computes `e^r - 1`, which keeps the digits of what is near 0. As `r` is at
/// most half of `ln 2`, its powers up to the sixth are enough for 24 bits.
#[inline(always)]
fn more(fma: Fma, r: f32) -> f32 {
    let [first, terms @ ..] = SERIES;
    let sum = terms.into_iter().fold(first, |sum, term| fma.sum(sum, r, term));
    fma.sum(r * r, sum, r)
}

/// Lists `1 / k!` from the sixth to the second, each moved a little: so the
/// terms that are left out are missed nowhere by more than a part in 10^8.
const SERIES: [f32; 5] =
    [0.001_381_454, 0.008_368_745, 0.041_668_39, 0.166_665_21, 0.499_999_94];

/// What is added to the exponent of a number where its bits keep it.
const BIAS: f32 = 127.0;

/// Makes the number whose exponent stands in the lowest bits, as a number's
/// bits keep it.
#[inline(always)]
fn two_to(exponent: u32) -> f32 {
    f32::from_bits(exponent << 23)
}

/// Returns the larger one, and a NaN as it is.
#[inline(always)]
pub(super) fn at_least(least: f32, x: f32) -> f32 {
    if x < least { least } else { x }
}

/// Returns the smaller one, and a NaN as it is.
#[inline(always)]
pub(super) fn at_most(most: f32, x: f32) -> f32 {
    if x > most { most } else { x }
}

#[inline(always)]
pub(super) fn exp(fma: Fma, x: f32) -> f32 {
    // Below it is 0, and above infinite.
    let x = at_least(-104.0, at_most(89.0, x));
    let (n, r) = split(fma, x, 2.0 * BIAS);
    joined(fma, n, r)
}

/// Computes `e^(-x^2 / 2)` of what is from 0 to 15. A square has more digits
/// than a number keeps, and so large a power needs them all: so `x` gives its
/// first digits, whose square is exact, and then the others.
#[inline(always)]
pub(super) fn bell(fma: Fma, x: f32) -> f32 {
    let first = f32::from_bits(x.to_bits() & !0xfff);
    let (n, r) = split(fma, -0.5 * first * first, 2.0 * BIAS);
    joined(fma, n, fma.sum(-0.5 * (x - first), x + first, r))
}

/// Computes `2^n * e^r`: in two steps, which reach the smallest and the largest
/// numbers.
#[inline(always)]
fn joined(fma: Fma, n: u32, r: f32) -> f32 {
    let (half, other) = (two_to(n >> 1), two_to(n - (n >> 1)));
    fma.sum(more(fma, r), half, half) * other
}

/// Computes `1 / (1 + e^-x)`. Above and below the line stands 2^64 times less,
/// so that no power is too large for a number.
#[inline(always)]
pub(super) fn sigmoid(fma: Fma, x: f32) -> f32 {
    const DOWN: f32 = 64.0;
    let one = two_to((BIAS - DOWN) as u32);
    // Below it is 0, and above 1.
    let x = at_most(104.0, at_least(-40.0, -x));
    let (n, r) = split(fma, x, BIAS - DOWN);
    let scale = two_to(n);
    one / fma.sum(more(fma, r), scale, scale + one)
}

#[inline(always)]
pub(super) fn tanh(fma: Fma, x: f32) -> f32 {
    let (n, r) = split(fma, at_least(-40.0, -2.0 * x.abs()), BIAS);
    let scale = two_to(n);
    // What e^(-2|x|) is more than 1.
    let more = fma.sum(more(fma, r), scale, scale - 1.0);
    (more / (2.0 + more)).copysign(x)
}

/// Computes `ln x = n ln 2 + ln m`, with `m` between the root of a half and
/// that of 2; and `ln m` is twice the area tangent of `s = (m - 1) / (m + 1)`.
#[inline(always)]
pub(super) fn log(fma: Fma, x: f32) -> f32 {
    /// The exponents count from here, so that none is negative.
    const FROM: u64 = (SQRT_2 / 2.0).to_bits().wrapping_sub(1024 << 52);
    let bits = f64::from(x).to_bits();
    let n = (bits.wrapping_sub(FROM) >> 52) as i32 - 1024;
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
        type Row = (&'static str, fn(Fma, f32) -> f32, fn(f64) -> f64, f64);
        let functions: [Row; 4] = [
            ("exp", exp, f64::exp, 1.0),
            ("log", log, f64::ln, 0.51),
            ("tanh", tanh, f64::tanh, 2.5),
            ("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp()), 2.5),
        ];
        for (name, mine, right, most) in functions {
            let mut worst = [(0.0, 0.0); 2];
            // Every 9973rd number that there is: of each sign and size.
            for bits in (0..=u32::MAX).step_by(9973) {
                let x = f32::from_bits(bits);
                let right = right(f64::from(x));
                for (worst, fma) in worst.iter_mut().zip(Fma::BOTH) {
                    let mine = mine(fma, x);
                    if mine == right as f32 || mine.is_nan() && right.is_nan() {
                        continue;
                    }
                    let units = units(mine, right);
                    if units.is_nan() || units > worst.0 {
                        *worst = (units, x);
                    }
                }
            }
            let few = worst.iter().all(|(units, _)| *units <= most);
            assert!(few, "{name} errs by {worst:?} units");
        }
    }

    #[test]
    fn the_ends_are_exact() {
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
