//! Rows brought to mean 0 and variance 1.

use pulp::{Arch, Simd, WithSimd};

use super::lanes::total;
use super::real::Number;
use super::walk::fill;
use super::{Array, Shared, compact, dense};
use crate::error::Result;

/// A row is walked so often for each of its numbers.
const OFTEN: usize = 4;

/// Computes (n, columns) from the same, a weight and a bias.
pub(super) fn rows<T: Number>(
    [a, weight, bias]: [&Array; 3],
    epsilon: f64,
) -> Result<Shared> {
    let (a, weight, bias) = (compact(a)?, compact(weight)?, compact(bias)?);
    let (x, columns) = (dense::<T>(&a), weight.len());
    let [weight, bias] = [&weight, &bias].map(|it| dense::<T>(it));
    fill(a.len(), columns, OFTEN, &|from, out| {
        let x = &x[from..];
        Arch::new().dispatch(Rows { x, weight, bias, epsilon, out });
    })
}

/// Computes what comes back to the rows, or to the weight from each row: (n,
/// columns).
pub(super) fn grads<T: Number>(
    [a, grad_out, weight]: [&Array; 3],
    epsilon: f64,
    is_of_weight: bool,
) -> Result<Shared> {
    let of = [compact(a)?, compact(grad_out)?, compact(weight)?];
    let [x, above, weight] = of.each_ref().map(|it| dense::<T>(it));
    let columns = weight.len();
    fill(x.len(), columns, OFTEN, &|from, out| {
        for (i, out) in out.chunks_mut(columns).enumerate() {
            let at = from + i * columns;
            let (x, above) = (&x[at..][..columns], &above[at..][..columns]);
            let row = Grads { x, above, weight, epsilon, is_of_weight, out };
            Arch::new().dispatch(row);
        }
    })
}

/// Computes the mean of a row, and what brings its distances to variance 1.
#[inline(always)]
fn measure<T: Number>(x: &[T], epsilon: f64) -> (T, T) {
    let share = T::nearest(1.0 / x.len() as f64);
    let mean = total([x], |[x]| x) * share;
    let square = |[x]: [T; 1]| (x - mean) * (x - mean);
    let variance = total([x], square) * share;
    (mean, T::nearest(1.0) / (variance + T::nearest(epsilon)).sqrt())
}

struct Rows<'a, T> {
    x: &'a [T],
    weight: &'a [T],
    bias: &'a [T],
    epsilon: f64,
    out: &'a mut [T],
}

impl<T: Number> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Rows { x, weight, bias, epsilon, out } = self;
        let columns = weight.len();
        for (x, out) in x.chunks(columns).zip(out.chunks_mut(columns)) {
            let (mean, inverse) = measure(x, epsilon);
            let given = x.iter().zip(weight.iter().zip(bias));
            for (out, (x, (weight, bias))) in out.iter_mut().zip(given) {
                *out = (*x - mean) * inverse * *weight + *bias;
            }
        }
    }
}

/// One row, or what it gives to the weight.
struct Grads<'a, T> {
    x: &'a [T],
    above: &'a [T],
    weight: &'a [T],
    epsilon: f64,
    is_of_weight: bool,
    out: &'a mut [T],
}

impl<T: Number> WithSimd for Grads<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Grads { x, above, weight, epsilon, is_of_weight, out } = self;
        let (mean, inverse) = measure(x, epsilon);
        let normal = |x: T| (x - mean) * inverse;
        let given = x.iter().zip(above);
        if is_of_weight {
            let given = out.iter_mut().zip(given);
            given.for_each(|(out, (x, g))| *out = *g * normal(*x));
            return;
        }
        let share = T::nearest(1.0 / x.len() as f64);
        let direct = total([above, weight], |[g, w]| g * w) * share;
        let along = |[x, g, w]: [T; 3]| g * w * normal(x);
        let along = total([x, above, weight], along) * share;
        for (out, ((x, g), w)) in out.iter_mut().zip(given.zip(weight)) {
            *out = (*g * *w - direct - normal(*x) * along) * inverse;
        }
    }
}
