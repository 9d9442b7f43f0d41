//! Reductions of short rows with any strides, such as pooling windows: one
//! item per row.

use super::axes::AXES;
use super::kernels;
use super::{Array, ArrayArgs, DType, OpenCl, Reduce, Shared, Types, View};
use crate::error::Result;
use crate::part3_unified::joined;
use crate::shape::size;

/// Shorter rows are reduced by one item each.
const MAX_SHORT_ROW: usize = 64;

/// A view for the kernels: four kept axes, then four reduced axes.
pub(super) struct ShortRows {
    shape: [i32; AXES],
    strides: [i32; AXES],
}

/// Strides of a result that has all axes.
pub(super) type Outs = [i32; AXES];

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
        ShortRows::split(a.view(), a.view(), cut).map(|(few, _)| few)
    }

    /// Returns the view of an array whose `axes` are reduced, and the strides
    /// of a dense result of the same shape. Returns `None` if it has too many
    /// axes.
    pub(super) fn along(
        a: &Array,
        axes: &[usize],
    ) -> Option<(ShortRows, Outs)> {
        let kept = (0..a.shape().len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let dense = View::dense(a.shape());
        let (view, outs) =
            (a.view().permute(&order).ok()?, dense.permute(&order).ok()?);
        ShortRows::split(&view, &outs, order.len() - axes.len())
    }

    /// Merges the axes before and after `cut` into at most four each.
    fn split(
        view: &View,
        outs: &View,
        cut: usize,
    ) -> Option<(ShortRows, Outs)> {
        let mut few = ShortRows { shape: [1; AXES], strides: [0; AXES] };
        let mut to = [0; AXES];
        let halves = [(0..cut, AXES / 2), (cut..view.shape().len(), AXES)];
        for (axes, end) in halves {
            let strides =
                [view, outs].map(|view| &view.strides()[axes.clone()]);
            let runs = joined(&view.shape()[axes.clone()], strides);
            let first = (AXES / 2).checked_sub(runs.len())? + end - AXES / 2;
            for (axis, (size, [from, out])) in (first..).zip(runs) {
                few.shape[axis] = size as i32;
                (few.strides[axis], to[axis]) = (from as i32, out as i32);
            }
        }
        Some((few, to))
    }

    fn rows(&self) -> usize {
        self.shape[..AXES / 2].iter().map(|&size| size as usize).product()
    }
}

impl OpenCl {
    /// Reduces each row with one item.
    pub(super) fn reduce_few(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        few: &ShortRows,
    ) -> Result<Shared> {
        let (n, types) = (few.rows(), Types { from: a.dtype(), to });
        self.fill(to, n, |out| {
            self.each(&kernels::reduce_few(op), types, n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(few.shape)
                .scalar(few.strides)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes [`Backend::max_share`](super::Backend::max_share). `most` and
    /// `grads` are dense.
    pub(super) fn split_max_grads(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        (few, outs): &(ShortRows, Outs),
    ) -> Result<Shared> {
        self.fill(a.dtype(), a.len(), |out| {
            self.each(&kernels::REDUCE_FEW_SHARE, a.dtype(), few.rows())
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(few.shape)
                .scalar(few.strides)
                .reads(most)
                .scalar(most.offset() as u32)
                .reads(grads)
                .scalar(grads.offset() as u32)
                .writes(out)
                .scalar(*outs)
                .scalar(few.rows() as u32)
                .run()
        })
    }
}
