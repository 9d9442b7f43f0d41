//! Column sums of several matrices in one launch (horizontal fusion).

use std::sync::Arc;

use super::reduce::{Columns, MIN_PART_ROWS};
use super::{Array, ArrayArgs, DType, GROUP_SIZE, OpenCl, Shared};
use crate::engine::kernels::REDUCE_SUMS;
use crate::error::Result;

/// Maximum number of matrices per launch.
const MAX_MATRICES: usize = 32;

/// A matrix whose columns are to be summed.
pub(crate) struct ColumnSums {
    a: Array,
    width: usize,
    height: usize,
}

impl ColumnSums {
    /// Returns the reduction of `a` to `rows` sums as column sums of a dense
    /// `f32` matrix, or `None` if it is not one or is better launched alone.
    pub(crate) fn new(a: Array, rows: usize) -> Option<ColumnSums> {
        let is_f32 = a.offset() == 0 && a.dtype() == DType::F32;
        let columns = Columns::new(&a, rows).filter(|_| is_f32)?;
        let [height, width] = columns.single_dense()?;
        Some(ColumnSums { a, width, height })
    }
}

impl OpenCl {
    /// Returns whether column sums of a matrix of this size can share a launch
    /// with others.
    pub(crate) fn can_share_launch(&self, rows: usize, columns: usize) -> bool {
        Columns::dense_matrix(rows, columns).single_dense().is_some()
    }

    /// Sums the columns of each matrix, in as few launches as possible.
    pub(crate) fn column_sums(
        &self,
        matrices: &[ColumnSums],
    ) -> Result<Vec<Shared>> {
        let mut sums = Vec::with_capacity(matrices.len());
        for group in matrices.chunks(MAX_MATRICES) {
            sums.extend(self.launch_column_sums(group)?);
        }
        Ok(sums)
    }

    fn launch_column_sums(
        &self,
        matrices: &[ColumnSums],
    ) -> Result<Vec<Shared>> {
        // There are kernels for 2, 4, 8, 16 and 32 matrices. Unused slots get
        // an empty matrix.
        let size = matrices.len().next_power_of_two().max(2);
        let kernel = &REDUCE_SUMS[size.ilog2() as usize - 1];
        let widths = matrices.iter().map(|matrix| matrix.width);
        let widths = widths.chain(std::iter::repeat(0)).take(size);
        let outs = widths.map(|width| self.allocate(DType::F32, width));
        let outs = outs.collect::<Result<Vec<_>>>()?;
        // Columns higher than `max_low` are shared by several items. On a CPU,
        // one item sums a column, because a group would be a loop with
        // barriers.
        let is_cpu = self.limits().is_cpu;
        let max_low = if is_cpu { u32::MAX } else { MIN_PART_ROWS as u32 };
        let groups = |matrix: &ColumnSums| {
            if matrix.height as u32 > max_low {
                matrix.width.div_ceil(self.limits().column_group()[0])
            } else {
                matrix.width.div_ceil(GROUP_SIZE)
            }
        };
        let groups: usize = matrices.iter().map(groups).sum();
        let mut launch = self.launch(kernel, DType::F32).scalar(max_low);
        for (i, out) in outs.iter().enumerate() {
            let (a, sizes) = match matrices.get(i) {
                Some(matrix) => (&matrix.a, [matrix.width, matrix.height]),
                None => (&matrices[0].a, [0, 0]),
            };
            let [width, height] = sizes.map(|size| size as u32);
            launch = launch.reads(a).scalar(width).scalar(height).writes(out);
        }
        launch.global(groups * GROUP_SIZE).local(GROUP_SIZE).run()?;
        let outs = outs.into_iter().take(matrices.len());
        Ok(outs.map(|out| Arc::new(out) as Shared).collect())
    }
}
