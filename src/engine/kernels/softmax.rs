//! The kernels of `kernels/engine/softmax.cl`: softmax along rows.

use smallvec::smallvec;

use super::row_groups;
use crate::opencl::{self, Kernel, LaunchArgs, Reached};

/// Softmax or, with `logs`, log-softmax of each row. The offset is a multiple
/// of four.
pub const SOFTMAX_ROWS: Kernel =
    kernel!("engine/softmax.cl", "softmax_rows", softmax);
/// The same for rows whose length is a multiple of four and which fit into the
/// registers of a row group.
pub const SOFTMAX_FOURS: Kernel =
    kernel!("engine/softmax.cl", "softmax_fours", |args| {
        let columns = args.uint("columns")?;
        let is_kept = columns <= KEPT as u64 * args.items(0);
        (is_kept && columns % 4 == 0).then(|| softmax(args)).flatten()
    });

/// Elements of a row that an item can hold in registers.
pub const KEPT: usize = 64;

/// The gradient of log-softmax.
pub const SOFTMAX_GRADS: Kernel =
    kernel!("engine/softmax.cl", "softmax_grads", |args| {
        let all = elements(args)?;
        let [y, grad] = ["y_offset", "grad_offset"].map(|name| args.uint(name));
        Some(smallvec![y? + all, grad? + all, all])
    });

/// The reach of softmax.
fn softmax(args: &LaunchArgs) -> Option<Reached> {
    let (offset, all) = (args.uint("offset")?, elements(args)?);
    (offset % 4 == 0).then(|| smallvec![offset + all, all])
}

/// Returns the number of elements of all rows.
fn elements(args: &LaunchArgs) -> Option<u64> {
    row_groups(args)?;
    let (columns, n) = (args.uint("columns")?, args.uint("n")?);
    // The loop counters of the kernels, `uint`, can exceed the end of a row by
    // a row group, and the last row by a work-group, even if rows are empty.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 31)?;
    Some(if columns == 0 { 0 } else { all })
}
