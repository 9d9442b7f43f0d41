//! The processor: loops over slices, shared among threads where that pays.

mod host;
mod sums;

use std::ops::Range;
use std::{array, iter};

use rayon::prelude::*;

use self::host::{Host, copied};
use self::sums::{down, larger, rounded, sum_down};
pub(super) use self::sums::{most, sum};
use super::super::view::runs;
use super::{
    Array, Backend, Binary, DType, Memory, Reduce, Shared, Storage, Unary,
    View, Window, downcast,
};
use crate::error::{Result, room, zeros};
use crate::product::{Lines, SHARED, product};
use crate::rng;
use crate::shape::{offsets, size};

/// From this many elements on the threads share them.
const PARALLEL: usize = 1 << 19;

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
        Ok(Host::shared(copied(values)?))
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
        Ok(Host::shared(elements(a)?))
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
        for (at, value) in view.offsets().zip(elements(a)?) {
            host.0[at] = value;
        }
        Ok(())
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        let a = &a.compact()?;
        match op {
            Unary::Scale(number) => map(a, |x| x * number),
            Unary::Shift(number) => map(a, |x| x + number),
            Unary::Over(number) => map(a, |x| x / number),
            Unary::Under(number) => map(a, |x| number / x),
            Unary::Sqrt => map(a, f32::sqrt),
            Unary::Square => map(a, |x| x * x),
            Unary::Relu => map(a, |x| if x <= 0.0 { 0.0 } else { x }),
            // One loop for all of these; nobody has timed one for each.
            slow => map(a, |x| slow.apply(x)),
        }
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        pairs(op, &straight(a)?, &straight(b)?)
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let (mask, a, b) = (mask.compact()?, a.compact()?, b.compact()?);
        let pairs = dense(&a).iter().zip(dense(&b));
        let choice = |(&m, (&x, &y)): (&f32, (&f32, &f32))| {
            if m != 0.0 { x } else { y }
        };
        Ok(Host::shared(dense(&mask).iter().zip(pairs).map(choice).collect()))
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
        // Rows that lie side by side are joined row by row; whatever does
        // not lie evenly is laid out first.
        let columns_first = a.view().reshape(&[rows, columns]);
        let columns_first =
            columns_first.filter(|v| rows > 1 && v.strides()[0] == 1);
        Ok(Host::shared(match (columns_first, op) {
            (Some(view), Reduce::Sum) => sum_down(a, &view)?,
            (Some(view), Reduce::Max) => {
                down(a, &view, 0..view.shape()[1], larger)?
            }
            (None, op) => across(&a.compact()?, columns, |row| op.apply(row))?,
        }))
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
        let (m, n) = (left.lines.len(), right.lines.len());
        let mut out = zeros(left.starts.len() * m * n)?;
        if a.is_empty() || b.is_empty() {
            return Ok(Host::shared(out));
        }
        let shared = out.len() * left.inner.len() >= SHARED;
        let matrices = left.starts.par_iter().zip(&right.starts);
        let matrices = matrices.zip(out.par_chunks_mut(m * n));
        let fill = |((&i, &j), out): ((&usize, &usize), &mut [f32])| {
            product(left.at(i), right.at(j), out)
        };
        match shared && left.starts.len() > 1 {
            true => matrices.for_each(fill),
            false => {
                let starts = left.starts.iter().zip(&right.starts);
                starts.zip(out.chunks_mut(m * n)).for_each(fill)
            }
        }
        Ok(Host::shared(out))
    }

    fn index_select(&self, a: &Array, places: &[usize]) -> Result<Shared> {
        let width = a.shape()[1];
        let row = |&place: &usize| &dense(a)[place * width..][..width];
        let mut values = room(places.len() * width)?;
        places.iter().for_each(|place| values.extend_from_slice(row(place)));
        Ok(Host::shared(values))
    }

    fn index_add(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let width = a.shape()[1];
        let mut sums: Vec<f64> = zeros(rows * width)?;
        let values = dense(a);
        for (row, &place) in places.iter().enumerate() {
            let given = &values[row * width..][..width];
            let pairs = sums[place * width..].iter_mut().zip(given);
            pairs.for_each(|(sum, x)| *sum += f64::from(*x));
        }
        Ok(Host::shared(rounded(sums)?))
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let shape = [count, image[0], image[1]];
        let mut sums = zeros(shape.iter().product())?;
        let windows = View::dense(&shape).windows(window)?;
        for (at, &value) in windows.offsets().zip(dense(a)) {
            sums[at] += f64::from(value);
        }
        Ok(Host::shared(rounded(sums)?))
    }
}

// ANCHOR: binary
/// A loop of its own for each operation, so that each is compiled for what it
/// does: with [`Binary::apply`] in one loop for all, 4,096 sums take 5.7 times
/// as long (an Intel Xeon, Rust 1.95.0, November 2026).
fn pairs(op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    match op {
        Binary::Add => zip(a, b, |x, y| x + y),
        Binary::Mul => zip(a, b, |x, y| x * y),
        Binary::Div => zip(a, b, |x, y| x / y),
        Binary::Lt => zip(a, b, |x, y| f32::from(x < y)),
        Binary::Le => zip(a, b, |x, y| f32::from(x <= y)),
        Binary::Eq => zip(a, b, |x, y| f32::from(x == y)),
        Binary::Pow => zip(a, b, f32::powf),
    }
}
// ANCHOR_END: binary

/// The memory that an array looks at.
fn numbers(a: &Array) -> &[f32] {
    &downcast::<Host>(&**a.storage()).0
}

/// The elements of a dense array.
fn dense(a: &Array) -> &[f32] {
    &numbers(a)[a.offset()..][..a.len()]
}

/// Calls `visit` for each run of views of one shape, in row-major order: with
/// where it begins in each memory, its length, and its step in each.
fn walk<const N: usize>(
    views: [&View; N],
    mut visit: impl FnMut([usize; N], usize, [isize; N]),
) {
    if views[0].is_empty() {
        return;
    }
    let mut runs = runs(views);
    let (length, steps) = runs.pop().unwrap_or((1, [1; N]));
    let shape: Vec<usize> = runs.iter().map(|run| run.0).collect();
    let strides: [Vec<isize>; N] =
        array::from_fn(|i| runs.iter().map(|run| run.1[i]).collect());
    let mut starts: [_; N] =
        array::from_fn(|i| offsets(&shape, &strides[i], views[i].offset()));
    for _ in 0..size(&shape) {
        let next = starts.each_mut().map(Iterator::next);
        visit(next.map(|at| at.expect("one for each run")), length, steps);
    }
}

/// The elements of any view, in row-major order.
fn elements(a: &Array) -> Result<Vec<f32>> {
    let all = numbers(a);
    let mut values = room(a.len())?;
    walk([a.view()], |[at], length, [step]| match step {
        1 => values.extend_from_slice(&all[at..][..length]),
        0 => values.extend(iter::repeat_n(all[at], length)),
        _ => {
            let place = |i| (at as isize + i as isize * step) as usize;
            values.extend((0..length).map(|i| all[place(i)]));
        }
    });
    Ok(values)
}

/// The same elements in runs that lie in a row or are one number, over and
/// over; copies only when they are not.
fn straight(a: &Array) -> Result<Array> {
    let walked = a.shape().iter().rposition(|&size| size != 1);
    match walked.map(|axis| a.strides()[axis]) {
        None | Some(0 | 1) => Ok(a.clone()),
        Some(_) => a.compact(),
    }
}

fn map(a: &Array, f: impl Fn(f32) -> f32 + Sync) -> Result<Shared> {
    let x = dense(a);
    let mut values = room(x.len())?;
    match x.len() {
        0..PARALLEL => values.extend(x.iter().map(|&x| f(x))),
        _ => x.par_iter().map(|&x| f(x)).collect_into_vec(&mut values),
    }
    Ok(Host::shared(values))
}

/// `f` of each pair of straight arrays. What is broadcast is read where it
/// lies, as often as it is needed.
fn zip(
    a: &Array,
    b: &Array,
    f: impl Fn(f32, f32) -> f32 + Sync,
) -> Result<Shared> {
    let mut values = room(a.len())?;
    if a.is_dense() && b.is_dense() {
        let (x, y) = (dense(a), dense(b));
        let f = |(&x, &y): (&f32, &f32)| f(x, y);
        match x.len() {
            0..PARALLEL => values.extend(x.iter().zip(y).map(f)),
            _ => x.par_iter().zip(y).map(f).collect_into_vec(&mut values),
        }
        return Ok(Host::shared(values));
    }
    let (all, others) = (numbers(a), numbers(b));
    walk([a.view(), b.view()], |[i, j], length, steps| {
        let (x, y) = (all[i..].iter(), others[j..].iter());
        let (first, other) = (all[i], others[j]);
        match steps {
            [1, 1] => {
                values.extend(x.zip(y).take(length).map(|(&x, &y)| f(x, y)))
            }
            [1, _] => values.extend(x.take(length).map(|&x| f(x, other))),
            [_, 1] => values.extend(y.take(length).map(|&y| f(first, y))),
            _ => values.extend(iter::repeat_n(f(first, other), length)),
        }
    });
    Ok(Host::shared(values))
}

/// `join` of each row that lies in a row.
fn across(
    a: &Array,
    columns: usize,
    join: impl Fn(&[f32]) -> f32 + Sync,
) -> Result<Vec<f32>> {
    let mut out = zeros(a.len() / columns)?;
    let rows = dense(a);
    let pair = |(out, row): (&mut f32, &[f32])| *out = join(row);
    match a.len() {
        0..PARALLEL => out.iter_mut().zip(rows.chunks(columns)).for_each(pair),
        _ => out.par_iter_mut().zip(rows.par_chunks(columns)).for_each(pair),
    }
    Ok(out)
}

/// One side of a product: where each matrix of a batch begins, and where in
/// it lie the lines and the numbers of each.
struct Side<'a> {
    values: &'a [f32],
    starts: Vec<usize>,
    lines: Vec<usize>,
    inner: Vec<usize>,
}

impl<'a> Side<'a> {
    /// The axes are (batch.., lines.., inner..).
    fn new(a: &'a Array, batch: usize, inner: usize) -> Side<'a> {
        let inside = a.shape().len() - inner;
        let places = |axes: Range<usize>, start| {
            let (shape, strides) = (a.shape(), a.strides());
            offsets(&shape[axes.clone()], &strides[axes], start).collect()
        };
        Side {
            values: numbers(a),
            starts: places(0..batch, a.offset()),
            lines: places(batch..inside, 0),
            inner: places(inside..a.shape().len(), 0),
        }
    }

    fn at(&self, start: usize) -> Lines<'_> {
        let Side { values, lines, inner, .. } = self;
        Lines { values, start, lines, inner }
    }
}
