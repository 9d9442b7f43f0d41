//! Many numbers into one. So that no sum becomes a long chain, whose every
//! link would round, sums are short in `f32` and go on in `f64`. Their order
//! depends on sizes and places alone, and so does every bit.

use std::ops::Range;

use rayon::prelude::*;

use super::host::copied;
use super::{Array, PARALLEL, View, numbers};
use crate::error::{Result, room, zeros};

pub(super) fn larger(x: f32, y: f32) -> f32 {
    if y > x || y.is_nan() { y } else { x }
}

/// The sum of a slice, in chunks that are joined in order: the same bits for
/// any number of threads. It is kept in `f64` and rounded once.
pub(in super::super) fn sum(values: &[f32]) -> f32 {
    const CHUNK: usize = 4096;
    let sums: Vec<f64> = match values.len() {
        0..PARALLEL => values.chunks(CHUNK).map(chunk).collect(),
        _ => values.par_chunks(CHUNK).map(chunk).collect(),
    };
    // From 0 on, because Rust's own sum of nothing is -0.
    sums.iter().fold(0.0, |total, chunk| total + chunk) as f32
}

/// Eight sums side by side, which a processor adds to at once.
fn chunk(values: &[f32]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        let pairs = sums.iter_mut().zip(eight);
        pairs.for_each(|(sum, x)| *sum += f64::from(*x));
    }
    let rest = rest.iter().map(|&x| f64::from(x));
    sums.into_iter().chain(rest).fold(0.0, |total, x| total + x)
}

pub(in super::super) fn most(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::NEG_INFINITY, larger)
}

/// `join` of rows whose first elements lie side by side, and then their
/// second ones: every pass goes through memory as it lies. Of some columns.
pub(super) fn down(
    a: &Array,
    view: &View,
    mut columns: Range<usize>,
    join: impl Fn(f32, f32) -> f32,
) -> Result<Vec<f32>> {
    let line = |column: usize| {
        let way = column as isize * view.strides()[1];
        let at = (view.offset() as isize + way) as usize;
        &numbers(a)[at..][..view.shape()[0]]
    };
    let first = columns.next().expect("nothing is not joined");
    let mut out = copied(line(first))?;
    for column in columns {
        for (sum, &x) in out.iter_mut().zip(line(column)) {
            *sum = join(*sum, x);
        }
    }
    Ok(out)
}

/// The sums of such rows. So that none becomes a long chain, 32 columns are
/// added up in `f32`, and their sums in `f64`.
pub(super) fn sum_down(a: &Array, view: &View) -> Result<Vec<f32>> {
    const BLOCK: usize = 32;
    let (rows, columns) = (view.shape()[0], view.shape()[1]);
    let block = |from: usize| {
        let to = columns.min(from + BLOCK);
        down(a, view, from..to, |x, y| x + y)
    };
    if columns <= BLOCK {
        return block(0);
    }
    let mut totals: Vec<f64> = zeros(rows)?;
    for from in (0..columns).step_by(BLOCK) {
        let pairs = totals.iter_mut().zip(block(from)?);
        pairs.for_each(|(total, sum)| *total += f64::from(sum));
    }
    rounded(totals)
}

pub(super) fn rounded(totals: Vec<f64>) -> Result<Vec<f32>> {
    let mut rounded = room(totals.len())?;
    rounded.extend(totals.into_iter().map(|total| total as f32));
    Ok(rounded)
}
