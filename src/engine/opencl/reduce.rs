//! Reductions. A reduction with few results is split into parts, which a
//! second launch reduces; otherwise most compute units would be idle.
//!
//! A reduction is one of three kinds, by the strides of its operand:
//!
//! - **columns** ([`Columns`]): adjacent results have adjacent elements. Each
//!   item reduces a column, or a part of one.
//! - **rows**: the elements of a result are contiguous. A group of items
//!   reduces a row, or one item if the row is short.
//! - anything else is reduced one axis at a time, or copied first.

use std::cmp::Reverse;
use std::ops::Range;

use super::launch_shape::COLUMN_ITEMS;
use super::short_rows::ShortRows;
use super::{
    Array, ArrayArgs, Backend, DType, GROUP_SIZE, Launch, OpenCl, Reduce,
};
use super::{Shared, Types, kernels};
use crate::error::{Result, zeros};
use crate::part3_unified::{Runs, joined};
use crate::shape::size;

/// Work-groups that keep any device busy.
const BUSY_GROUPS: usize = 1024;

/// Shorter rows are reduced by one item each: most items of a group would have
/// nothing to add, and all of them wait at its eight barriers.
// TODO(perf): measure the threshold on a GPU.
const MIN_GROUP_ROW: usize = 64;
/// From this many rows on, a CPU reduces each row with one item, whatever its
/// length; see docs/benchmarks.md.
const MIN_CPU_ROWS: usize = 16;
/// From this length on, a CPU also splits fewer rows into parts with one item
/// each; see docs/benchmarks.md.
const MIN_CPU_COLUMNS: usize = 1 << 12;
/// Minimum length of the parts if there are [`MIN_CPU_ROWS`] rows.
const MIN_CPU_PART: usize = 1024;

/// Minimum rows per part; shorter columns are not split.
pub(super) const MIN_PART_ROWS: usize = 64;
/// Columns up to this height, if there are at most [`MAX_SHORT_ELEMENTS`]
/// elements in all, are reduced in a single launch: [`COLUMN_ITEMS`] items
/// share a column, so none adds more elements than in the first of two
/// launches.
// TODO(perf): measure against two launches.
pub(super) const MAX_SHORT_COLUMN: usize = COLUMN_ITEMS * MIN_PART_ROWS;
const MAX_SHORT_ELEMENTS: usize = 1 << 19;

/// The operand of a reduction of columns: matrices (outer, height, inner),
/// which are reduced over `height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Columns {
    outer: usize,
    height: usize,
    inner: usize,
    /// Strides between matrices, rows and columns.
    strides: [usize; 3],
}

impl Columns {
    /// Returns the columns of an array that is reduced to `rows` results, or
    /// `None` if adjacent results do not have adjacent elements.
    pub(super) fn new(a: &Array, rows: usize) -> Option<Columns> {
        let (kept, reduced) = split(a, rows);
        let ((outer, far), (inner, near)) = match kept[..] {
            [(inner, [near])] => ((1, 0), (inner, near)),
            [(outer, [far]), (inner, [near])] => ((outer, far), (inner, near)),
            _ => return None,
        };
        let [(height, [down])] = reduced[..] else { return None };
        let strides = [far, down, near].map(|stride| stride.try_into().ok());
        let strides = [strides[0]?, strides[1]?, strides[2]?];
        let is_adjacent = near == 1 && down > 1;
        is_adjacent.then_some(Columns { outer, height, inner, strides })
    }

    /// Describes the rows of a matrix as columns, whatever its strides are.
    pub(super) fn from_rows(a: &Array) -> Columns {
        let (inner, height) = (a.shape()[0], a.shape()[1]);
        let [near, down] = [0, 1].map(|axis| a.strides()[axis] as usize);
        Columns { outer: 1, height, inner, strides: [0, down, near] }
    }

    /// Describes the columns of a dense matrix.
    pub(super) fn dense_matrix(height: usize, inner: usize) -> Columns {
        Columns { outer: 1, height, inner, strides: [0, inner, 1] }
    }

    /// Returns whether the columns are reduced in a single launch although
    /// they could be split.
    fn are_short(&self) -> bool {
        let all = self.outer * self.inner * self.height;
        self.height > MIN_PART_ROWS
            && self.height <= MAX_SHORT_COLUMN
            && all <= MAX_SHORT_ELEMENTS
    }

    /// Returns the height and the width if this is a single dense matrix whose
    /// columns can be reduced in the same launch as those of other matrices.
    pub(super) fn single_dense(&self) -> Option<[usize; 2]> {
        let Columns { outer, height, inner, strides: [_, down, _] } = *self;
        let is_low =
            height <= MIN_PART_ROWS && inner.checked_mul(height)? < 1 << 31;
        let is_single = outer == 1 && down == inner;
        (is_single && (is_low || self.are_short())).then_some([height, inner])
    }

    /// Adds the array, the strides and the sizes to the arguments of a launch.
    fn add_args<'a>(&self, launch: Launch<'a>, a: &'a Array) -> Launch<'a> {
        let Columns { outer, height, inner, strides: [far, down, near] } = self;
        let width = outer * inner;
        let launch = launch.reads(a).scalar(a.offset() as u32);
        let args = [*down, *near, *inner, *far, width, *height];
        args.into_iter().fold(launch, |launch, arg| launch.scalar(arg as u32))
    }
}

impl OpenCl {
    /// Reduces each row to an element of type `to`. Intermediate results are
    /// at least `f32`: in `f16`, each part of a sum would be rounded, and
    /// could exceed the maximum, 65504.
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
        if let Some(short) = ShortRows::new(a, rows, columns) {
            return self.reduce_short_rows(to, op, a, &short);
        }
        if let Some(columns) = Columns::new(a, rows) {
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

    /// If several axes remain to be reduced, reduces the one with the smallest
    /// stride and returns the result, to be reduced over the others. The kept
    /// axes are ordered by stride, so that nothing is copied.
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
        let others: Vec<usize> =
            (0..=last).filter(|&axis| axis != near).collect();
        let mut axes = others.clone();
        axes.sort_by_key(far);
        let position = |axis: &usize| axes.iter().position(|at| at == axis);
        let back: Vec<usize> = others.iter().filter_map(position).collect();
        let sizes: Vec<usize> =
            axes.iter().map(|&axis| a.shape()[axis]).collect();
        axes.push(near);
        let near = a.shape()[near];
        let (rows, to) = (a.len() / near, a.dtype().wide());
        let out = self.reduce_to(to, op, &a.permute(&axes)?, rows, near)?;
        Array::dense(a.device(), out, &sizes).permute(&back).map(Some)
    }

    /// Reduces the contiguous rows of a matrix: short rows with one item each,
    /// others with a group of items. A few long rows are split into parts; the
    /// results of the parts are then rows themselves.
    pub(super) fn reduce_across(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
    ) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if columns < MIN_GROUP_ROW {
            return self.reduce_down(to, op, a, Columns::from_rows(a));
        }
        let is_cpu = self.limits().is_cpu;
        if is_cpu && (rows >= MIN_CPU_ROWS || columns >= MIN_CPU_COLUMNS) {
            let many_rows = rows >= MIN_CPU_ROWS;
            let least = if many_rows { MIN_CPU_PART } else { MIN_GROUP_ROW };
            return self.reduce_parts(to, op, a, Columns::from_rows(a), least);
        }
        let [kernel, ..] = kernels::reduce(op);
        let (segment, parts) = parts(rows, columns, 16 * GROUP_SIZE);
        let [global, local] =
            self.limits().long_row_groups(rows * parts, segment);
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

    /// Reduces columns, with one item for each column or part of one, or with
    /// a group of items for each short column.
    pub(super) fn reduce_down(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        columns: Columns,
    ) -> Result<Shared> {
        match (columns.are_short(), self.limits().is_cpu) {
            (false, _) => self.reduce_parts(to, op, a, columns, MIN_PART_ROWS),
            // On a CPU a group is a loop with barriers.
            (true, true) => {
                self.reduce_parts(to, op, a, columns, MAX_SHORT_COLUMN)
            }
            (true, false) => self.reduce_short_columns(to, op, a, columns),
        }
    }

    /// Reduces each column with [`COLUMN_ITEMS`] items of a group.
    fn reduce_short_columns(
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
                .add_args(launch, a)
                .writes(out)
                .global([width, COLUMN_ITEMS])
                .local([GROUP_SIZE / COLUMN_ITEMS, COLUMN_ITEMS])
                .run()
        })
    }

    /// Reduces columns in parts of at least `least` rows, one item each, and
    /// then the results of the parts.
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
        let (segment, parts) = parts(width.div_ceil(GROUP_SIZE), height, least);
        let n = width * parts;
        let types = Types::of_parts(a.dtype(), to, parts);
        let out = self.fill(types.to, n, |out| {
            columns
                .add_args(self.launch_per_element(&kernel, types, n), a)
                .scalar(segment as u32)
                .writes(out)
                .run()
        })?;
        match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[parts, width]);
                let left = left.permute(&[1, 0])?;
                self.reduce_down(to, op, &left, Columns::from_rows(&left))
            }
        }
    }
}

/// Merges the kept axes and the reduced axes of an array that is reduced to
/// `rows` results.
fn split(a: &Array, rows: usize) -> (Runs<1>, Runs<1>) {
    let shape = a.shape();
    let is_between = |cut: &usize| size(&shape[..*cut]) == rows;
    let cut = (0..=shape.len()).rev().find(is_between).unwrap_or(0);
    let run =
        |axes: Range<usize>| joined(&shape[axes.clone()], [&a.strides()[axes]]);
    (run(0..cut), run(cut..shape.len()))
}

/// Returns the length and the number of the parts of a row: as few as keep the
/// device busy if `groups` groups work on each part, and none shorter than
/// `least`. They depend on sizes alone, so repeated runs have the same bits.
fn parts(groups: usize, length: usize, least: usize) -> (usize, usize) {
    let wanted = BUSY_GROUPS.div_ceil(groups);
    let segment = length.div_ceil(wanted).max(least).min(length);
    (segment, length.div_ceil(segment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::devices;
    use crate::part3_unified::Device;

    /// On a CPU, the backend never chooses the kernel for short columns.
    #[test]
    fn the_short_column_kernel_agrees_with_the_general_one() {
        let Ok([device, ..]) = devices() else { return };
        let gpu = OpenCl::open(device.index).unwrap();
        for shape in [[1, 65, 2], [3, 70, 9], [2, 2048, 33]] {
            let gpu_device = Device::Gpu(device.index);
            let a = Array::uniform(&shape, 1, gpu_device).unwrap();
            let a = a.permute(&[0, 2, 1]).unwrap();
            let columns = Columns::new(&a, shape[0] * shape[2]).unwrap();
            let to = DType::F32;
            assert!(columns.are_short());
            for op in [Reduce::Sum, Reduce::Max] {
                let short =
                    gpu.reduce_short_columns(to, op, &a, columns).unwrap();
                let parts =
                    gpu.reduce_parts(to, op, &a, columns, MIN_PART_ROWS);
                let [short, parts] = [short, parts.unwrap()]
                    .map(|storage| gpu.download(&*storage).unwrap());
                let near = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-6 * y;
                assert_eq!(short.len(), parts.len());
                assert!(short.iter().zip(&parts).all(near), "{op:?} {shape:?}");
            }
        }
    }
}
