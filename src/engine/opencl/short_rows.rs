//! Reductions of short rows with any strides, such as pooling windows: one
//! item per row.

use super::copy::AXES;
use super::kernels;
use super::{Array, ArrayArgs, DType, OpenCl, Reduce, Shared, Types, View};
use crate::error::Result;
use crate::part3_unified::joined;
use crate::shape::size;

/// Shorter rows are reduced by one item each.
const MAX_SHORT_ROW: usize = 64;

/// A view for the kernels: four kept axes, then four reduced axes.
pub(super) struct ShortRows {
    pub(super) shape: [i32; AXES],
    pub(super) strides: [i32; AXES],
}

impl ShortRows {
    /// Returns the view of an array of rows. Returns `None` if the rows are
    /// long, have too many axes, or are regular enough for other kernels to
    /// read them without a copy.
    pub(super) fn new(
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Option<ShortRows> {
        let shape = a.shape();
        let cuts = 0..=shape.len();
        let is_between = |cut: &usize| size(&shape[..*cut]) == rows;
        let cut = cuts.rev().find(is_between)?;
        let axes = [0..cut, cut..shape.len()].map(|axes| {
            joined(&shape[axes.clone()], [&a.strides()[axes]]).len()
        });
        let is_matrix = axes.into_iter().all(|axes| axes < 2);
        if columns >= MAX_SHORT_ROW || is_matrix {
            return None;
        }
        ShortRows::split(a.view(), a.view(), cut).map(|(rows, _)| rows)
    }

    /// Merges the axes before and after `cut` into at most four each.
    pub(super) fn split(
        view: &View,
        outs: &View,
        cut: usize,
    ) -> Option<(ShortRows, [i32; AXES])> {
        let mut rows = ShortRows { shape: [1; AXES], strides: [0; AXES] };
        let mut to = [0; AXES];
        let halves = [(0..cut, AXES / 2), (cut..view.shape().len(), AXES)];
        for (axes, end) in halves {
            let strides =
                [view, outs].map(|view| &view.strides()[axes.clone()]);
            let runs = joined(&view.shape()[axes.clone()], strides);
            let first = (AXES / 2).checked_sub(runs.len())? + end - AXES / 2;
            for (axis, (size, [from, out])) in (first..).zip(runs) {
                rows.shape[axis] = size as i32;
                (rows.strides[axis], to[axis]) = (from as i32, out as i32);
            }
        }
        Some((rows, to))
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.shape[..AXES / 2].iter().map(|&size| size as usize).product()
    }
}

impl OpenCl {
    /// Reduces each row with one item.
    pub(super) fn reduce_short_rows(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        rows: &ShortRows,
    ) -> Result<Shared> {
        let (n, types) = (rows.rows(), Types { from: a.dtype(), to });
        self.fill(to, n, |out| {
            self.launch_per_element(&kernels::reduce_few(op), types, n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(rows.shape)
                .scalar(rows.strides)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }
}
