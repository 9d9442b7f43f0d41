//! The kernels of `kernels/engine/reduce.cl`.

use smallvec::smallvec;

use super::{Reduce, dense_len, row_groups};
use crate::opencl::{self, Given, Kernel, Reached, counted, view};

/// The reach for rows, of which `n` parts are reduced: arguments `a, offset,
/// row_stride, columns, segment, out, n`.
fn rows(given: &Given) -> Option<Reached> {
    row_groups(given)?;
    let (columns, segment) = (given.uint(3)?, given.uint(4)?);
    // The loop counter of the kernels, a `uint`, can exceed `columns` by a
    // group.
    if columns == 0 || segment == 0 || columns > i32::MAX as u64 {
        return None;
    }
    // The same for the counter of parts.
    let n = given.uint(6)?;
    if n > i32::MAX as u64 {
        return None;
    }
    let rows = n.div_ceil(columns.div_ceil(segment));
    let last = rows.saturating_sub(1) * given.uint(2)? + columns;
    Some(smallvec![given.uint(1)? + last, n])
}

/// The reach for columns, with one item for each part of a column: arguments
/// `a, offset, row_stride, column_stride, inner, outer_stride, width, height,
/// segment, out`.
fn columns(given: &Given) -> Option<Reached> {
    let segment = counted(given.uint(8)?)?;
    let parts = given.uint(7)?.div_ceil(segment);
    Some(smallvec![whole_columns(given)?, given.uint(6)?.checked_mul(parts)?])
}

/// The reach for short columns, which several items of a work-group share:
/// arguments `a, offset, row_stride, column_stride, inner, outer_stride,
/// width, height, out`.
fn short_columns(given: &Given) -> Option<Reached> {
    let team = given.items(1);
    let is_group = team.is_power_of_two() && given.items(0) * team <= 256;
    let is_flat = given.groups(1) == 1 && given.items(2) == 1;
    (is_group && is_flat).then_some(())?;
    Some(smallvec![whole_columns(given)?, given.uint(6)?])
}

/// Returns the end of the columns of all matrices.
fn whole_columns(given: &Given) -> Option<u64> {
    let [inner, width, height] = [4, 6, 7].map(|place| given.uint(place));
    let (inner, width, height) = (inner?, width?, height?);
    if width == 0 || height == 0 || inner == 0 {
        return None;
    }
    // The loop counter of the kernels, a `uint`, can exceed `height`.
    if height > i32::MAX as u64 {
        return None;
    }
    let down = (height - 1).checked_mul(given.uint(2)?)?;
    let across = (width.min(inner) - 1).checked_mul(given.uint(3)?)?;
    let out = ((width - 1) / inner).checked_mul(given.uint(5)?)?;
    let last = down.checked_add(across)?.checked_add(out)?.checked_add(1)?;
    last.checked_add(given.uint(1)?)
}

/// Returns the kernels of a reduction: for rows, for columns, and for short
/// columns.
pub(crate) fn reduce(op: Reduce) -> [Kernel; 3] {
    match op {
        Reduce::Sum => [REDUCE_ROWS_SUM, REDUCE_COLUMNS_SUM, REDUCE_SHORT_SUM],
        Reduce::Max => [REDUCE_ROWS_MAX, REDUCE_COLUMNS_MAX, REDUCE_SHORT_MAX],
    }
}

/// Returns the kernel of a reduction of short strided rows.
pub(crate) fn reduce_few(op: Reduce) -> Kernel {
    match op {
        Reduce::Sum => REDUCE_FEW_SUM,
        Reduce::Max => REDUCE_FEW_MAX,
    }
}

/// The sum of each row, or of parts of it.
pub const REDUCE_ROWS_SUM: Kernel =
    kernel!("engine/reduce.cl", "reduce_rows_sum", rows);
/// The maximum of each row, or of parts of it.
pub const REDUCE_ROWS_MAX: Kernel =
    kernel!("engine/reduce.cl", "reduce_rows_max", rows);
/// The sum of each column, or of parts of it.
pub const REDUCE_COLUMNS_SUM: Kernel =
    kernel!("engine/reduce.cl", "reduce_columns_sum", columns);
/// The maximum of each column, or of parts of it.
pub const REDUCE_COLUMNS_MAX: Kernel =
    kernel!("engine/reduce.cl", "reduce_columns_max", columns);
/// The sum of each short column.
pub const REDUCE_SHORT_SUM: Kernel =
    kernel!("engine/reduce.cl", "reduce_short_sum", short_columns);
/// The maximum of each short column.
pub const REDUCE_SHORT_MAX: Kernel =
    kernel!("engine/reduce.cl", "reduce_short_max", short_columns);

/// The column sums of 2, 4, 8, 16 and 32 matrices: arguments `low`, then `a,
/// width, height, out` of each matrix. 32 matrices take 772 of the 1024 bytes
/// of arguments that every OpenCL device accepts.
pub const REDUCE_SUMS: &[Kernel] = &[
    kernel!("engine/reduce.cl", "reduce_sums_2", |given| sums(given, 2)),
    kernel!("engine/reduce.cl", "reduce_sums_4", |given| sums(given, 4)),
    kernel!("engine/reduce.cl", "reduce_sums_8", |given| sums(given, 8)),
    kernel!("engine/reduce.cl", "reduce_sums_16", |given| sums(given, 16)),
    kernel!("engine/reduce.cl", "reduce_sums_32", |given| sums(given, 32)),
];

/// The reach for `count` matrices. The loop counter of the kernels, a `uint`,
/// can exceed the number of elements by some rows.
fn sums(given: &Given, count: usize) -> Option<Reached> {
    (given.items(0) == 256 && given.items(1) * given.items(2) == 1)
        .then_some(())?;
    let mut reached = Reached::new();
    for at in (1..).step_by(4).take(count) {
        let (width, height) = (given.uint(at + 1)?, given.uint(at + 2)?);
        let all = width.checked_mul(height)?;
        let most = i32::MAX as u64;
        (width <= most && height <= most && all <= most).then_some(())?;
        reached.extend([all, width]);
    }
    Some(reached)
}

/// The reach for short strided rows: arguments `a, offset, shape, strides,
/// out, n`.
fn few(given: &Given) -> Option<Reached> {
    let reach = view(given.uint(1)?, given.int8(2)?, given.int8(3)?)?;
    Some(smallvec![reach, given.uint(5)?])
}

/// The sum of each short strided row.
pub const REDUCE_FEW_SUM: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_sum", few);
/// The maximum of each short strided row.
pub const REDUCE_FEW_MAX: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_max", few);
/// The gradient of the maximum of each short strided row, split equally among
/// tied maxima: arguments `a, offset, shape, strides, most, most_offset,
/// grads, grads_offset, out, outs, n`.
pub const REDUCE_FEW_SHARE: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_share", |given| {
        let shape = given.int8(2)?;
        let reach = view(given.uint(1)?, shape, given.int8(3)?)?;
        let (all, n) = (dense_len(shape, given.int8(9)?)?, given.uint(10)?);
        // Each item handles a different row.
        (i128::from(n) == shape[..4].iter().product()).then_some(())?;
        let of_rows = |place| Some(given.uint(place)? + n);
        Some(smallvec![reach, of_rows(5)?, of_rows(7)?, all])
    });
