//! Reductions in two stages, where one would keep most units idle.

use std::cmp::Reverse;
use std::ops::Range;

use super::super::super::view::{Runs, joined};
use super::cuts::TEAM;
use super::few::Few;
use super::{Array, Backend, DType, GROUP, Launch, Numbers, OpenCl, Reduce};
use super::{Shared, Types, kernels};
use crate::error::{Result, zeros};
use crate::shape::size;

/// So many groups keep any device busy.
const BUSY: usize = 1024;

/// A row that is shorter gets an item and no group: most of a group's items
/// would have nothing to add, and all of them wait at its eight barriers. On
/// a GPU nobody has measured where the two meet. On a processor they meet
/// beyond 1024, if at all, and there some rows are enough: with PoCL 3.1 on two
/// busy cores of an AMD EPYC 4096 rows of 64 take 0.2 ms by items and 15 ms by
/// groups, and 4096 rows of 1024 1.7 ms and 33 ms (best of 15, by events,
/// November 2026).
const SHORT: usize = 64;
const SOME: usize = 16;
/// A row of so many elements is as good as some: items share it. With PoCL 3.1
/// on two cores of an Intel Xeon 2^20 numbers took 0.3 ms in parts, and 1.7 by
/// groups (`cargo learn bench sum --device gpu`, November 2026).
const LONG: usize = 1 << 12;
/// Parts of many rows are not shorter.
const LEAST: usize = 1024;

/// Parts of a column are not shorter, and one that is not higher is one part.
pub(super) const PART: usize = 64;
/// Columns of up to 2048 numbers, 2^19 in all, are one launch: none of the 32
/// items of one adds more than in the first of two stages, 64, and an H200
/// reads these 2 MB in an eighth of the 4.5 µs of a second launch. It was
/// counted, and not yet timed on a card.
pub(super) const TALL: usize = TEAM * PART;
const SMALL: usize = 1 << 19;

/// What is reduced from neighbor to neighbor: matrices (outer, height, inner)
/// whose columns are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Columns {
    outer: usize,
    height: usize,
    inner: usize,
    /// From matrix to matrix, from row to row, and from column to column.
    strides: [usize; 3],
}

impl Columns {
    /// Finds them in an array of rows, if the first elements of its rows are
    /// neighbors.
    pub(super) fn of(a: &Array, rows: usize) -> Option<Columns> {
        let (kept, reduced) = split(a, rows);
        let ((outer, far), (inner, near)) = match kept[..] {
            [(inner, [near])] => ((1, 0), (inner, near)),
            [(outer, [far]), (inner, [near])] => ((outer, far), (inner, near)),
            _ => return None,
        };
        let [(height, [down])] = reduced[..] else { return None };
        let strides = [far, down, near].map(|it| it.try_into().ok());
        let strides = [strides[0]?, strides[1]?, strides[2]?];
        let lie_side_by_side = near == 1 && down > 1;
        lie_side_by_side.then_some(Columns { outer, height, inner, strides })
    }

    /// Takes rows of a matrix for columns.
    pub(super) fn rows(a: &Array) -> Columns {
        let (inner, height) = (a.shape()[0], a.shape()[1]);
        let [near, down] = [0, 1].map(|axis| a.strides()[axis] as usize);
        Columns { outer: 1, height, inner, strides: [0, down, near] }
    }

    /// Takes those of a dense matrix.
    pub(super) fn of_matrix(height: usize, inner: usize) -> Columns {
        Columns { outer: 1, height, inner, strides: [0, inner, 1] }
    }

    /// Says whether one launch is enough, where there would be parts.
    fn are_short(&self) -> bool {
        let all = self.outer * self.inner * self.height;
        self.height > PART && self.height <= TALL && all <= SMALL
    }

    /// Returns the height and the width of one dense matrix, whose columns one
    /// launch adds up beside those of others.
    pub(super) fn of_one_dense(&self) -> Option<[usize; 2]> {
        let Columns { outer, height, inner, strides: [_, down, _] } = *self;
        let is_low = height <= PART && inner.checked_mul(height)? < 1 << 31;
        let is_one = outer == 1 && down == inner;
        (is_one && (is_low || self.are_short())).then_some([height, inner])
    }

    /// Gives a kernel the array and where its columns lie.
    fn given<'a>(&self, launch: Launch<'a>, a: &'a Array) -> Launch<'a> {
        let Columns { outer, height, inner, strides: [far, down, near] } = self;
        let width = outer * inner;
        let launch = launch.reads(a).scalar(a.offset() as u32);
        let numbers = [*down, *near, *inner, *far, width, *height];
        numbers
            .into_iter()
            .fold(launch, |launch, number| launch.scalar(number as u32))
    }
}

impl OpenCl {
    /// Reduces each row to a number of a type. What is not yet the result is
    /// kept in 32 bits at least: halves would round each part of a sum, and
    /// end at 65504.
    pub(super) fn reduce_to(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        if a.is_empty() {
            return self.upload(&zeros(rows)?, to);
        }
        if let Some(few) = Few::new(a, rows, columns) {
            return self.reduce_few(to, op, a, &few);
        }
        if let Some(columns) = Columns::of(a, rows) {
            return self.reduce_down(to, op, a, columns);
        }
        if let Some(left) = self.reduce_nearest(op, a, rows)? {
            return self.reduce_to(to, op, &left, rows, left.len() / rows);
        }
        let flat = a.reshape(&[rows, columns])?;
        match (flat.strides()[0], flat.strides()[1]) {
            (row, 1) if row >= 0 => self.reduce_across(to, op, &flat),
            _ => self.reduce_across(to, op, &flat.compact()?),
        }
    }

    /// Reduces the nearest axis where those that are to go lie apart, and
    /// returns what is left for the others. The kept ones are taken as they
    /// lie in memory, so that nothing is copied.
    pub(super) fn reduce_nearest(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
    ) -> Result<Option<Array>> {
        let (kept, reduced) = split(a, rows);
        if reduced.len() < 2 {
            return Ok(None);
        }
        let runs = kept.iter().chain(&reduced);
        let a = a.reshape(&runs.map(|run| run.0).collect::<Vec<_>>())?;
        let far = |&axis: &usize| Reverse(a.strides()[axis].unsigned_abs());
        let last = a.shape().len() - 1;
        let near = (kept.len()..=last).max_by_key(far).unwrap_or(last);
        let others: Vec<usize> = (0..=last).filter(|&it| it != near).collect();
        let mut axes = others.clone();
        axes.sort_by_key(far);
        let place = |axis: &usize| axes.iter().position(|it| it == axis);
        let back: Vec<usize> = others.iter().filter_map(place).collect();
        let sizes: Vec<usize> =
            axes.iter().map(|&axis| a.shape()[axis]).collect();
        axes.push(near);
        let near = a.shape()[near];
        let (rows, to) = (a.len() / near, a.dtype().wide());
        let out = self.reduce_to(to, op, &a.permute(&axes)?, rows, near)?;
        Array::dense(a.device(), out, &sizes).permute(&back).map(Some)
    }

    /// Reduces rows that lie in a row: an item for each if they are short,
    /// else a team, or one for each part of a row where a few long rows would
    /// keep most units idle. The parts are then rows themselves.
    pub(super) fn reduce_across(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
    ) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if columns < SHORT {
            return self.reduce_down(to, op, a, Columns::rows(a));
        }
        if self.units().is_processor && (rows >= SOME || columns >= LONG) {
            let least = if rows >= SOME { LEAST } else { SHORT };
            return self.reduce_parts(to, op, a, Columns::rows(a), least);
        }
        let [kernel, ..] = kernels::reduce(op);
        let (segment, parts) = parts(rows, columns, 16 * GROUP);
        let [global, local] = self.units().along(rows * parts, segment);
        let types = Types::of_parts(a.dtype(), to, parts);
        let out = self.fill(types.to, rows * parts, |out| {
            self.launch(&kernel, types)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(a.strides()[0] as u32)
                .scalar(columns as u32)
                .scalar(segment as u32)
                .writes(out)
                .scalar((rows * parts) as u32)
                .global(global)
                .local(local)
                .run()
        })?;
        match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[rows, parts]);
                self.reduce_across(to, op, &left)
            }
        }
    }

    /// Takes an item for each column, or for each part of one. If columns lie
    /// side by side, neighbors read what lies side by side.
    pub(super) fn reduce_down(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        columns: Columns,
    ) -> Result<Shared> {
        match (columns.are_short(), self.units().is_processor) {
            (false, _) => self.reduce_parts(to, op, a, columns, PART),
            // A team is a loop with barriers there.
            (true, true) => self.reduce_parts(to, op, a, columns, TALL),
            (true, false) => self.reduce_short(to, op, a, columns),
        }
    }

    /// Takes a team for each column.
    fn reduce_short(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        columns: Columns,
    ) -> Result<Shared> {
        let [.., kernel] = kernels::reduce(op);
        let width = columns.outer * columns.inner;
        self.fill(to, width, |out| {
            let launch = self.launch(&kernel, Types { from: a.dtype(), to });
            columns
                .given(launch, a)
                .writes(out)
                .global([width, TEAM])
                .local([GROUP / TEAM, TEAM])
                .run()
        })
    }

    /// Does so with parts that are not shorter than `least`.
    fn reduce_parts(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        columns: Columns,
        least: usize,
    ) -> Result<Shared> {
        let [_, kernel, _] = kernels::reduce(op);
        let (width, height) = (columns.outer * columns.inner, columns.height);
        let (segment, parts) = parts(width.div_ceil(GROUP), height, least);
        let n = width * parts;
        let types = Types::of_parts(a.dtype(), to, parts);
        let out = self.fill(types.to, n, |out| {
            columns
                .given(self.each(&kernel, types, n), a)
                .scalar(segment as u32)
                .writes(out)
                .run()
        })?;
        match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[parts, width]);
                let left = left.permute(&[1, 0])?;
                self.reduce_down(to, op, &left, Columns::rows(&left))
            }
        }
    }
}

/// Joins the axes that stay and those that go, of an array of rows.
fn split(a: &Array, rows: usize) -> (Runs<1>, Runs<1>) {
    let shape = a.shape();
    let is_between = |cut: &usize| size(&shape[..*cut]) == rows;
    let cut = (0..=shape.len()).rev().find(is_between).unwrap_or(0);
    let run =
        |axes: Range<usize>| joined(&shape[axes.clone()], [&a.strides()[axes]]);
    (run(0..cut), run(cut..shape.len()))
}

/// Computes how long the parts of a row are, and how many: as few as keep the
/// device busy beside `others`, and none shorter than `least`. They depend on
/// sizes alone, and so does every bit of the result.
fn parts(others: usize, length: usize, least: usize) -> (usize, usize) {
    let wanted = BUSY.div_ceil(others);
    let segment = length.div_ceil(wanted).max(least).min(length);
    (segment, length.div_ceil(segment))
}

impl OpenCl {
    /// Computes the shares of the scores in each row, or their logarithms.
    pub(super) fn shares(&self, a: &Array, logs: u32) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if !a.offset().is_multiple_of(4) {
            return self.shares(&a.dense_like(self.copy(a)?), logs);
        }
        let kernel = match self.units().keeps(columns) {
            true => kernels::SOFTMAX_FOURS,
            false => kernels::SOFTMAX_ROWS,
        };
        let [global, local] = self.units().teams(rows, columns);
        self.fill(a.dtype(), a.len(), |out| {
            self.launch(&kernel, a.dtype())
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(columns as u32)
                .scalar(logs)
                .writes(out)
                .scalar(rows as u32)
                .global(global)
                .local(local)
                .run()
        })
    }
}

impl OpenCl {
    /// Computes what comes back through logarithms of shares.
    pub(super) fn shares_back(
        &self,
        y: &Array,
        grad_out: &Array,
    ) -> Result<Shared> {
        let (rows, columns) = (y.shape()[0], y.shape()[1]);
        let [global, local] = self.units().teams(rows, columns);
        self.fill(y.dtype(), y.len(), |out| {
            self.launch(&kernels::SOFTMAX_GRADS, y.dtype())
                .reads(y)
                .scalar(y.offset() as u32)
                .reads(grad_out)
                .scalar(grad_out.offset() as u32)
                .scalar(columns as u32)
                .writes(out)
                .scalar(rows as u32)
                .global(global)
                .local(local)
                .run()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::devices;
    use crate::part3_unified::Device;

    /// A processor does not take the teams by itself.
    #[test]
    fn teams_reduce_short_columns_as_items_do() {
        let Ok([device, ..]) = devices() else { return };
        let gpu = OpenCl::open(device.index).unwrap();
        for shape in [[1, 65, 2], [3, 70, 9], [2, 2048, 33]] {
            let place = Device::Gpu(device.index);
            let a = Array::uniform(&shape, 1, place).unwrap();
            let a = a.permute(&[0, 2, 1]).unwrap();
            let columns = Columns::of(&a, shape[0] * shape[2]).unwrap();
            let to = DType::F32;
            assert!(columns.are_short());
            for op in [Reduce::Sum, Reduce::Max] {
                let teams = gpu.reduce_short(to, op, &a, columns).unwrap();
                let items = gpu.reduce_parts(to, op, &a, columns, PART);
                let [teams, items] = [teams, items.unwrap()]
                    .map(|it| gpu.download(&*it).unwrap());
                let near = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-6 * y;
                assert_eq!(teams.len(), items.len());
                assert!(teams.iter().zip(&items).all(near), "{op:?} {shape:?}");
            }
        }
    }
}
