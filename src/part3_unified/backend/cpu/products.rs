//! Products of views: which lines are multiplied, and where they lie.

use std::ops::Range;

use super::super::super::view::joined;
use super::host::{Host, blank};
use super::real::{Kept, Number};
use super::{Array, Shared, numbers};
use crate::base::share::share;
use crate::error::{Result, zeros};
use crate::product::{Lines, Places, is_shared};

/// Computes [`Backend::contract`](super::Backend::contract).
pub(super) fn contract<T: Number>(
    a: &Array,
    b: &Array,
    batch: usize,
    inner: usize,
) -> Result<Shared> {
    let [left, right] = [a, b].map(|side| Side::<T>::new(side, batch, inner));
    let count = |steps: &Steps| steps.places().len();
    let (m, n) = (count(&left.lines), count(&right.lines));
    let size = left.starts.len() * m * n;
    if a.is_empty() || b.is_empty() {
        return Ok(Host::<T>::shared(zeros(size)?));
    }
    let mut out = blank(size)?;
    let shared = is_shared(size * count(&left.inner));
    let starts = left.starts.iter().zip(&right.starts);
    let matrices = starts.zip(out.chunks_mut(m * n));
    let fill = |((&i, &j), out): ((&usize, &usize), &mut [T])| {
        T::product(left.at(i), right.at(j), out)
    };
    match shared && left.starts.len() > 1 {
        true => share(matrices, fill),
        false => matrices.for_each(fill),
    }
    Ok(Host::shared(out))
}

/// Multiplies lines of `f64`, plainly: each is laid out once, and then two are
/// read side by side.
pub(super) fn product_f64(a: Lines<f64>, b: Lines<f64>, out: &mut [f64]) {
    let (n, k) = (b.lines.len(), a.inner.len());
    let (a, b) = (laid_out(a), laid_out(b));
    let work = |(row, out): (usize, &mut [f64])| {
        let line = &a[row * k..][..k];
        for (j, out) in out.iter_mut().enumerate() {
            *out = dot(line, &b[j * k..][..k]);
        }
    };
    let rows = out.chunks_mut(n).enumerate();
    match is_shared(a.len() * n) {
        true => share(rows, work),
        false => rows.for_each(work),
    }
}

/// Copies the numbers of all lines, one line after another.
fn laid_out(lines: Lines<f64>) -> Vec<f64> {
    let (count, k) = (lines.lines.len(), lines.inner.len());
    let mut laid = Vec::with_capacity(count * k);
    for i in 0..count {
        let start = lines.start.wrapping_add(lines.lines.at(i));
        let at = |p| start.wrapping_add(lines.inner.at(p));
        laid.extend((0..k).map(|p| lines.values[at(p)]));
    }
    laid
}

/// Adds up products in eight sums side by side, to which a processor adds at
/// once.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((xs, x), (ys, y)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in xs.iter().zip(ys) {
        let pairs = sums.iter_mut().zip(x.iter().zip(y));
        pairs.for_each(|(sum, (x, y))| *sum += x * y);
    }
    let rest = x.iter().zip(y).map(|(x, y)| x * y);
    sums.into_iter().chain(rest).fold(0.0, |total, x| total + x)
}

/// One side of a product: where each matrix of a batch begins, and where in
/// it lie the lines and the numbers of each.
struct Side<'a, T> {
    values: &'a [T],
    starts: Vec<usize>,
    lines: Steps,
    inner: Steps,
}

/// How places along some axes lie.
enum Steps {
    /// So many, evenly spaced.
    Even(usize, isize),
    Listed(Vec<usize>),
}

impl<'a, T: Kept> Side<'a, T> {
    /// Splits an array whose axes are (batch.., lines.., inner..).
    fn new(a: &'a Array, batch: usize, inner: usize) -> Side<'a, T> {
        let inside = a.shape().len() - inner;
        let steps = |axes: Range<usize>| {
            let (shape, strides) = (&a.shape()[axes.clone()], a.strides());
            match joined(shape, [&strides[axes.clone()]])[..] {
                [] => Steps::Even(1, 1),
                [(count, [step])] => Steps::Even(count, step),
                _ => Steps::Listed(places(a, axes, 0)),
            }
        };
        Side {
            values: numbers(a),
            starts: places(a, 0..batch, a.offset()),
            lines: steps(batch..inside),
            inner: steps(inside..a.shape().len()),
        }
    }

    fn at(&self, start: usize) -> Lines<'_, T> {
        let (lines, inner) = (self.lines.places(), self.inner.places());
        Lines { values: self.values, start, lines, inner }
    }
}

impl Steps {
    fn places(&self) -> Places<'_> {
        match self {
            Steps::Even(count, step) => Places::even(*count, *step),
            Steps::Listed(places) => Places::Listed(places),
        }
    }
}

/// Lists where the elements along some axes lie, modulo 2^64.
fn places(a: &Array, axes: Range<usize>, start: usize) -> Vec<usize> {
    let mut places = vec![start];
    for axis in axes {
        let (n, step) = (a.shape()[axis], a.strides()[axis]);
        let mut all = Vec::with_capacity(places.len() * n);
        for at in places {
            let place = |i| at.wrapping_add_signed(i * step);
            all.extend((0..n as isize).map(place));
        }
        places = all;
    }
    places
}
