//! Rows brought to mean 0 and variance 1.

use pulp::{Arch, Simd, WithSimd};

use super::host::{Host, blank};
use super::lanes::total;
use super::real::Number;
use super::walk::{fill, rows_of_part};
use super::{Array, Shared, compact, dense};
use crate::base::share::share;
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

/// Computes what comes back to the rows, and what comes back to the weight from
/// each row: twice (n, columns).
pub(super) fn grads<T: Number>(
    [a, grad_out, weight]: [&Array; 3],
    epsilon: f64,
) -> Result<[Shared; 2]> {
    let of = [compact(a)?, compact(grad_out)?, compact(weight)?];
    let [x, above, weight] = of.each_ref().map(|it| dense::<T>(it));
    let (n, columns) = (x.len(), weight.len());
    if n == 0 {
        return Ok([(); 2].map(|()| Host::<T>::shared(vec![])));
    }
    let [mut rows, mut weights] = [blank(n)?, blank(n)?];
    let part = rows_of_part(n / columns, OFTEN * columns) * columns;
    let outs = rows.chunks_mut(part).zip(weights.chunks_mut(part));
    let work = |(i, (rows, weights)): (usize, (&mut [T], &mut [T]))| {
        let some = i * part..i * part + rows.len();
        let (x, above) = (&x[some.clone()], &above[some]);
        let outs = [rows, weights];
        Arch::new().dispatch(Grads { x, above, weight, epsilon, outs });
    };
    match part < n {
        true => share(outs.enumerate(), work),
        false => outs.enumerate().for_each(work),
    }
    Ok([rows, weights].map(Host::shared))
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

/// Some rows, and what each gives to the weight.
struct Grads<'a, T> {
    x: &'a [T],
    above: &'a [T],
    weight: &'a [T],
    epsilon: f64,
    outs: [&'a mut [T]; 2],
}

impl<T: Number> WithSimd for Grads<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Grads { x, above, weight, epsilon, outs: [rows, weights] } = self;
        let columns = weight.len();
        let share = T::nearest(1.0 / columns as f64);
        let given = x.chunks(columns).zip(above.chunks(columns));
        let outs = rows.chunks_mut(columns).zip(weights.chunks_mut(columns));
        for ((out, of_weight), (x, above)) in outs.zip(given) {
            let (mean, inverse) = measure(x, epsilon);
            let normal = |x: T| (x - mean) * inverse;
            let direct = total([above, weight], |[g, w]| g * w) * share;
            let along = |[x, g, w]: [T; 3]| g * w * normal(x);
            let along = total([x, above, weight], along) * share;
            let given = x.iter().zip(above).zip(weight);
            let outs = out.iter_mut().zip(of_weight);
            for ((out, of_weight), ((x, g), w)) in outs.zip(given) {
                let normal = normal(*x);
                *of_weight = *g * normal;
                *out = (*g * *w - direct - normal * along) * inverse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares of the numbers themselves have no digit left for these.
    #[test]
    fn a_variance_is_that_of_the_distances_from_the_mean() {
        let x = [0.0, 1.0, 2.0, 3.0].map(|x: f32| x + (1 << 22) as f32);
        let (mean, inverse) = measure(&x, 0.0);
        assert_eq!(mean, 1.5 + (1 << 22) as f32);
        assert_eq!(inverse, 1.0 / 1.25_f32.sqrt());
    }
}
