//! Matrix products of strided views: finds the offsets of the lines and of
//! their elements. `crate::engine::gemm` multiplies them.

use std::ops::Range;

use super::host::{Host, blank};
use super::types::{CpuFloat, HostElement};
use super::{Array, Shared, storage_elements};
use crate::engine::gemm::{Lines, Offsets};
use crate::engine::threads::{parallel_for, threads_for_products};
use crate::error::{Result, zeros};
use crate::part3_unified::joined;

/// Computes [`Backend::contract`](super::Backend::contract).
pub(super) fn contract<T: CpuFloat>(
    a: &Array,
    b: &Array,
    batch: usize,
    inner: usize,
) -> Result<Shared> {
    let [left, right] = [a, b].map(|side| Side::<T>::new(side, batch, inner));
    let count = |steps: &Steps| steps.offsets().len();
    let (m, n) = (count(&left.lines), count(&right.lines));
    let size = left.starts.len() * m * n;
    if a.is_empty() || b.is_empty() {
        return Ok(Host::<T>::shared(zeros(size)?));
    }
    let mut out = blank(size)?;
    let threads = threads_for_products(size * count(&left.inner));
    let starts = left.starts.iter().zip(&right.starts);
    let matrices = starts.zip(out.chunks_mut(m * n));
    let fill = |((&i, &j), out): ((&usize, &usize), &mut [T])| {
        T::product(left.matrix(i), right.matrix(j), out)
    };
    parallel_for(threads, matrices, fill);
    Ok(Host::shared(out))
}

/// Multiplies lines of `f64` in the simple way: copies both operands into
/// contiguous lines and computes dot products.
pub(super) fn product_f64(a: Lines<f64>, b: Lines<f64>, out: &mut [f64]) {
    let (n, k) = (b.lines.len(), a.inner.len());
    let (a, b) = (contiguous(a), contiguous(b));
    let work = |(row, out): (usize, &mut [f64])| {
        let line = &a[row * k..][..k];
        for (j, out) in out.iter_mut().enumerate() {
            *out = dot(line, &b[j * k..][..k]);
        }
    };
    let rows = out.chunks_mut(n).enumerate();
    parallel_for(threads_for_products(a.len() * n), rows, work);
}

/// Copies all lines to one contiguous vector.
fn contiguous(lines: Lines<f64>) -> Vec<f64> {
    let (count, k) = (lines.lines.len(), lines.inner.len());
    let mut copy = Vec::with_capacity(count * k);
    for i in 0..count {
        let start = lines.start.wrapping_add(lines.lines.get(i));
        let offset = |p| start.wrapping_add(lines.inner.get(p));
        copy.extend((0..k).map(|p| lines.values[offset(p)]));
    }
    copy
}

/// Returns the dot product of two lines. Eight independent partial sums let
/// the compiler vectorize the loop.
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

/// One operand of a matrix product.
struct Side<'a, T> {
    values: &'a [T],
    /// The offset of each matrix of the batch.
    starts: Vec<usize>,
    /// The offsets of the lines, relative to the matrix.
    lines: Steps,
    /// The offsets of the elements, relative to the line.
    inner: Steps,
}

/// The offsets along some axes.
enum Steps {
    /// A count, and the constant distance between offsets.
    Even(usize, isize),
    Listed(Vec<usize>),
}

impl<'a, T: HostElement> Side<'a, T> {
    /// Splits an array whose axes are (batch.., lines.., inner..).
    fn new(a: &'a Array, batch: usize, inner: usize) -> Side<'a, T> {
        let inside = a.shape().len() - inner;
        let steps = |axes: Range<usize>| {
            let (shape, strides) = (&a.shape()[axes.clone()], a.strides());
            match joined(shape, [&strides[axes.clone()]])[..] {
                [] => Steps::Even(1, 1),
                [(count, [step])] => Steps::Even(count, step),
                _ => Steps::Listed(offsets(a, axes, 0)),
            }
        };
        Side {
            values: storage_elements(a),
            starts: offsets(a, 0..batch, a.offset()),
            lines: steps(batch..inside),
            inner: steps(inside..a.shape().len()),
        }
    }

    /// Returns the lines of the matrix that begins at an offset.
    fn matrix(&self, start: usize) -> Lines<'_, T> {
        let (lines, inner) = (self.lines.offsets(), self.inner.offsets());
        Lines { values: self.values, start, lines, inner }
    }
}

impl Steps {
    fn offsets(&self) -> Offsets<'_> {
        match self {
            Steps::Even(count, step) => Offsets::even(*count, *step),
            Steps::Listed(offsets) => Offsets::Listed(offsets),
        }
    }
}

/// Returns the offsets of the elements along some axes, modulo 2^64.
fn offsets(a: &Array, axes: Range<usize>, start: usize) -> Vec<usize> {
    let mut offsets = vec![start];
    for axis in axes {
        let (n, step) = (a.shape()[axis], a.strides()[axis]);
        let mut next = Vec::with_capacity(offsets.len() * n);
        for offset in offsets {
            let along = |i| offset.wrapping_add_signed(i * step);
            next.extend((0..n as isize).map(along));
        }
        offsets = next;
    }
    offsets
}
