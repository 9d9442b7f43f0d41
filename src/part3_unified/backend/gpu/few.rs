//! Rows of few elements, which lie anywhere: those of a pool's windows.

use super::super::super::view::joined;
use super::axes::AXES;
use super::kernels;
use super::{Array, DType, Numbers, OpenCl, Reduce, Shared, Types, View};
use crate::error::Result;
use crate::shape::size;

/// Rows of fewer elements get one item.
const FEW: usize = 64;

/// A view as the kernels walk it: four axes that are kept, and four that are
/// reduced.
pub(super) struct Few {
    shape: [i32; AXES],
    strides: [i32; AXES],
}

/// The strides of the result, which has all axes.
pub(super) type Outs = [i32; AXES];

impl Few {
    /// Finds the walk over an array of rows, unless its rows lie so that other
    /// kernels read them as they are, are long, or have too many axes.
    pub(super) fn new(a: &Array, rows: usize, columns: usize) -> Option<Few> {
        let shape = a.shape();
        let cuts = 0..=shape.len();
        let is_between = |cut: &usize| size(&shape[..*cut]) == rows;
        let cut = cuts.rev().find(is_between)?;
        let axes = [0..cut, cut..shape.len()].map(|axes| {
            joined(&shape[axes.clone()], [&a.strides()[axes]]).len()
        });
        let lie_in_order = axes.into_iter().all(|axes| axes < 2);
        if columns >= FEW || lie_in_order {
            return None;
        }
        Few::of(a.view(), a.view(), cut).map(|(few, _)| few)
    }

    /// Finds the same for the axes that are reduced, and the strides of a
    /// dense array of this shape.
    pub(super) fn along(a: &Array, axes: &[usize]) -> Option<(Few, Outs)> {
        let kept = (0..a.shape().len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let dense = View::dense(a.shape());
        let (view, outs) =
            (a.view().permute(&order).ok()?, dense.permute(&order).ok()?);
        Few::of(&view, &outs, order.len() - axes.len())
    }

    fn of(view: &View, outs: &View, cut: usize) -> Option<(Few, Outs)> {
        let mut few = Few { shape: [1; AXES], strides: [0; AXES] };
        let mut to = [0; AXES];
        let halves = [(0..cut, AXES / 2), (cut..view.shape().len(), AXES)];
        for (axes, end) in halves {
            let strides = [view, outs].map(|it| &it.strides()[axes.clone()]);
            let runs = joined(&view.shape()[axes.clone()], strides);
            let first = (AXES / 2).checked_sub(runs.len())? + end - AXES / 2;
            for (at, (size, [from, out])) in (first..).zip(runs) {
                few.shape[at] = size as i32;
                (few.strides[at], to[at]) = (from as i32, out as i32);
            }
        }
        Some((few, to))
    }

    fn rows(&self) -> usize {
        self.shape[..AXES / 2].iter().map(|&size| size as usize).product()
    }
}

impl OpenCl {
    /// Reduces each row by an item of its own.
    pub(super) fn reduce_few(
        &self,
        to: DType,
        op: Reduce,
        a: &Array,
        few: &Few,
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

    /// Computes what [`Backend::max_share`](super::Backend::max_share) says;
    /// `most` and `grads` are dense.
    pub(super) fn share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        (few, outs): &(Few, Outs),
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
