//! Sums down the columns of several matrices in one launch.

use std::sync::Arc;

use super::super::super::kernels::REDUCE_SUMS;
use super::numbers::Numbers;
use super::stages::{Columns, PART};
use super::{Array, DType, GROUP, OpenCl, Shared};
use crate::error::Result;

/// A launch takes so many.
const AT_ONCE: usize = 32;

/// A matrix whose columns are to be added up.
pub(in super::super) struct Summed {
    a: Array,
    width: usize,
    height: usize,
}

impl Summed {
    /// Takes sums of rows for those down the columns of a matrix, if they are,
    /// and if nothing is gained by a launch of their own.
    pub(in super::super) fn of(a: Array, rows: usize) -> Option<Summed> {
        let is_whole = a.offset() == 0 && a.dtype() == DType::F32;
        let columns = Columns::of(&a, rows).filter(|_| is_whole)?;
        let [height, width] = columns.of_one_dense()?;
        Some(Summed { a, width, height })
    }
}

impl OpenCl {
    /// Says whether sums down so many rows are added up beside others.
    pub(in super::super) fn adds_at_once(
        &self,
        rows: usize,
        columns: usize,
    ) -> bool {
        Columns::of_matrix(rows, columns).of_one_dense().is_some()
    }

    /// Adds up the columns of each, in as few launches as there can be.
    pub(in super::super) fn sums_down(
        &self,
        of: &[Summed],
    ) -> Result<Vec<Shared>> {
        let mut made = Vec::with_capacity(of.len());
        for some in of.chunks(AT_ONCE) {
            made.extend(self.sums_at_once(some)?);
        }
        Ok(made)
    }

    fn sums_at_once(&self, of: &[Summed]) -> Result<Vec<Shared>> {
        // There is a kernel for 2, 4, 8, 16 and 32. Those that are missing are
        // matrices of nothing.
        let size = of.len().next_power_of_two().max(2);
        let kernel = &REDUCE_SUMS[size.ilog2() as usize - 1];
        let widths = of.iter().map(|it| it.width);
        let widths = widths.chain(std::iter::repeat(0)).take(size);
        let outs = widths.map(|width| self.take(DType::F32, width));
        let outs = outs.collect::<Result<Vec<_>>>()?;
        // On a processor a team is a loop with barriers.
        let is_processor = self.units().is_processor;
        let low = if is_processor { u32::MAX } else { PART as u32 };
        let groups = |it: &Summed| match it.height as u32 > low {
            true => it.width.div_ceil(self.units().beside()[0]),
            false => it.width.div_ceil(GROUP),
        };
        let groups: usize = of.iter().map(groups).sum();
        let mut launch = self.launch(kernel, DType::F32).scalar(low);
        for (at, out) in outs.iter().enumerate() {
            let (a, sizes) = match of.get(at) {
                Some(it) => (&it.a, [it.width, it.height]),
                None => (&of[0].a, [0, 0]),
            };
            let [width, height] = sizes.map(|size| size as u32);
            launch = launch.reads(a).scalar(width).scalar(height).writes(out);
        }
        launch.global(groups * GROUP).local(GROUP).run()?;
        let outs = outs.into_iter().take(of.len());
        Ok(outs.map(|out| Arc::new(out) as Shared).collect())
    }
}
