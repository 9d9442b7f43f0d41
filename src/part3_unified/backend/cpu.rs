//! The processor: loops over slices, shared among threads where that pays.
//!
//! Reading order: [`Cpu`], what it offers; `walk`, how many elements are
//! visited; `elementwise` and `elementary`; `sums` and `shares`; and `host`,
//! the memory.

mod elementary;
mod elementwise;
mod host;
mod shares;
mod sums;
mod walk;

use std::borrow::Cow;
use std::ops::Range;

use self::host::{Host, blank, copied};
pub(super) use self::sums::{most, sum};
use self::walk::Walk;
use super::super::view::joined;
use super::{
    Array, Backend, Binary, DType, Memory, Reduce, Shared, Storage, Unary,
    View, Window, downcast,
};
use crate::base::share::share;
use crate::error::{Result, room, zeros};
use crate::product::{Lines, Places, is_shared, product};
use crate::rng;

/// The host's processor.
pub(in super::super) struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> String {
        "the processor".to_string()
    }

    fn memory(&self) -> Memory {
        host::memory()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        let mut numbers = blank(values.len())?;
        numbers.copy_from_slice(values);
        Ok(Host::shared(numbers))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        copied(&downcast::<Host>(storage).0)
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        let number = |k| rng::unit(rng::bits(seed, k));
        let mut values = room(n)?;
        values.extend((0..n as u64).map(number));
        Ok(Host::shared(values))
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        elementwise::copy(a)
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let storage: &mut dyn std::any::Any = storage;
        let host: &mut Host =
            storage.downcast_mut().expect("an array knows its device");
        let (all, walk) = (numbers(a), Walk::new([view, a.view()]));
        let starts = walk.from(0).take(a.len() / walk.length);
        for [to, from] in starts {
            match walk.steps {
                [1, 1] => host.0[to..][..walk.length]
                    .copy_from_slice(&all[from..][..walk.length]),
                [p, q] => {
                    let values = walk::run(all, from, walk.length, q);
                    for (i, x) in (0..).zip(values) {
                        host.0[(to as isize + i * p) as usize] = x;
                    }
                }
            }
        }
        Ok(())
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        elementwise::unary(op, &*compact(a)?)
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let (a, b) = (straight(a)?, straight(b)?);
        elementwise::pairs(op, &a, &b)
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        elementwise::where_cond(mask, a, b)
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        if a.is_empty() {
            return Ok(Host::shared(zeros(rows)?));
        }
        sums::reduce(op, a, rows, columns)
    }

    fn max_share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        shares::max_share(a, most, grads, axes)
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        self.contract(a, &b.permute(&[0, 2, 1])?, 1, 1)
    }

    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let [left, right] = [a, b].map(|side| Side::new(side, batch, inner));
        let count = |steps: &Steps| steps.places().len();
        let (m, n) = (count(&left.lines), count(&right.lines));
        let size = left.starts.len() * m * n;
        if a.is_empty() || b.is_empty() {
            return Ok(Host::shared(zeros(size)?));
        }
        let mut out = blank(size)?;
        let shared = is_shared(size * count(&left.inner));
        let starts = left.starts.iter().zip(&right.starts);
        let matrices = starts.zip(out.chunks_mut(m * n));
        let fill = |((&i, &j), out): ((&usize, &usize), &mut [f32])| {
            product(left.at(i), right.at(j), out)
        };
        match shared && left.starts.len() > 1 {
            true => share(matrices, fill),
            false => matrices.for_each(fill),
        }
        Ok(Host::shared(out))
    }

    fn softmax(&self, a: &Array) -> Result<Shared> {
        sums::softmax(a)
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        sums::log_softmax(a)
    }

    fn index_select(&self, a: &Array, places: &[usize]) -> Result<Shared> {
        let (width, all) = (a.shape()[1], dense(a));
        walk::fill(places.len() * width, width, walk::ONCE, &|from, out| {
            let rows = out.chunks_mut(width).zip(&places[from / width..]);
            for (out, place) in rows {
                out.copy_from_slice(&all[place * width..][..width]);
            }
        })
    }

    fn index_add(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let width = a.shape()[1];
        // Each part looks at all indices and takes its own.
        let part = walk::rows_of_part(rows, width) * width;
        walk::fill(rows * width, part, walk::ONCE, &|from, out| {
            let mut sums = vec![0.0; out.len()];
            for (given, place) in dense(a).chunks(width).zip(places) {
                let to = (place * width).wrapping_sub(from);
                if to < out.len() {
                    let pairs = sums[to..].iter_mut().zip(given);
                    pairs.for_each(|(sum, x)| *sum += f64::from(*x));
                }
            }
            let pairs = out.iter_mut().zip(sums);
            pairs.for_each(|(out, sum)| *out = sum as f32);
        })
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        sums::fold(a, window, count, image)
    }
}

/// Returns the memory that an array looks at.
fn numbers(a: &Array) -> &[f32] {
    &downcast::<Host>(&**a.storage()).0
}

/// Returns the elements of a dense array.
fn dense(a: &Array) -> &[f32] {
    &numbers(a)[a.offset()..][..a.len()]
}

/// Returns the same elements in row-major order; copies only when they are
/// not.
fn compact(a: &Array) -> Result<Cow<'_, Array>> {
    Ok(match a.is_dense() {
        true => Cow::Borrowed(a),
        false => Cow::Owned(a.compact()?),
    })
}

/// Returns the same elements in runs that lie close together; copies only when
/// they do not.
fn straight(a: &Array) -> Result<Cow<'_, Array>> {
    let walked = a.shape().iter().rposition(|&size| size != 1);
    match walked.map(|axis| a.strides()[axis]) {
        None | Some(0..=4) => Ok(Cow::Borrowed(a)),
        Some(_) => compact(a),
    }
}

/// One side of a product: where each matrix of a batch begins, and where in
/// it lie the lines and the numbers of each.
struct Side<'a> {
    values: &'a [f32],
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

impl<'a> Side<'a> {
    /// Splits an array whose axes are (batch.., lines.., inner..).
    fn new(a: &'a Array, batch: usize, inner: usize) -> Side<'a> {
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

    fn at(&self, start: usize) -> Lines<'_> {
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
