//! The kernels of `kernels/engine/softmax.cl`: softmax along rows.

use smallvec::smallvec;

use super::row_groups;
use crate::opencl::{self, Given, Kernel, Reached};

/// Softmax or, with `logs`, log-softmax of each row: arguments `a, offset,
/// columns, logs, out, n`. The offset is a multiple of four.
pub const SOFTMAX_ROWS: Kernel =
    kernel!("engine/softmax.cl", "softmax_rows", softmax);
/// The same for rows whose length is a multiple of four and which fit into the
/// registers of a row group.
pub const SOFTMAX_FOURS: Kernel =
    kernel!("engine/softmax.cl", "softmax_fours", |given| {
        let columns = given.uint(2)?;
        let is_kept = columns <= KEPT as u64 * given.items(0);
        (is_kept && columns % 4 == 0).then(|| softmax(given)).flatten()
    });

/// Elements of a row that an item can hold in registers.
pub const KEPT: usize = 64;

/// The gradient of log-softmax: arguments `y, y_offset, grad, grad_offset,
/// columns, out, n`.
pub const SOFTMAX_GRADS: Kernel =
    kernel!("engine/softmax.cl", "softmax_grads", |given| {
        let all = elements(given, 4, 6)?;
        let from = |place| Some(given.uint(place)? + all);
        Some(smallvec![from(1)?, from(3)?, all])
    });

/// The reach of softmax.
fn softmax(given: &Given) -> Option<Reached> {
    (given.uint(1)? % 4 == 0).then_some(())?;
    let all = elements(given, 2, 5)?;
    Some(smallvec![given.uint(1)? + all, all])
}

/// Returns the number of elements of all rows, given the positions of the
/// arguments `columns` and `n`.
fn elements(given: &Given, columns: usize, n: usize) -> Option<u64> {
    row_groups(given)?;
    let (columns, n) = (given.uint(columns)?, given.uint(n)?);
    // The loop counters of the kernels, `uint`, can exceed the end of a row by
    // a row group, and the last row by a work-group, even if rows are empty.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 31)?;
    Some(if columns == 0 { 0 } else { all })
}
