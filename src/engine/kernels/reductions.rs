//! The kernels of `kernels/engine/reduce.cl`.

use smallvec::smallvec;

use super::{Reduce, dense_len, row_groups};
use crate::opencl::{self, Kernel, LaunchArgs, Reached, counted, view};

/// The reach for rows, of which `n` parts are reduced.
fn rows(args: &LaunchArgs) -> Option<Reached> {
    row_groups(args)?;
    let (columns, segment) = (args.uint("columns")?, args.uint("segment")?);
    // The loop counter of the kernels, a `uint`, can exceed `columns` by a
    // group.
    if columns == 0 || segment == 0 || columns > i32::MAX as u64 {
        return None;
    }
    // The same for the counter of parts.
    let n = args.uint("n")?;
    if n > i32::MAX as u64 {
        return None;
    }
    let rows = n.div_ceil(columns.div_ceil(segment));
    let last = rows.saturating_sub(1) * args.uint("row_stride")? + columns;
    Some(smallvec![args.uint("offset")? + last, n])
}

/// The reach for columns, with one item for each part of a column.
fn columns(args: &LaunchArgs) -> Option<Reached> {
    let segment = counted(args.uint("segment")?)?;
    let parts = args.uint("height")?.div_ceil(segment);
    let out = args.uint("width")?.checked_mul(parts)?;
    Some(smallvec![whole_columns(args)?, out])
}

/// The reach for short columns, which several items of a work-group share.
fn short_columns(args: &LaunchArgs) -> Option<Reached> {
    let team = args.items(1);
    let is_group = team.is_power_of_two() && args.items(0) * team <= 256;
    let is_flat = args.groups(1) == 1 && args.items(2) == 1;
    (is_group && is_flat).then_some(())?;
    Some(smallvec![whole_columns(args)?, args.uint("width")?])
}

/// Returns the end of the columns of all matrices.
fn whole_columns(args: &LaunchArgs) -> Option<u64> {
    let sizes = ["inner", "width", "height"];
    let [inner, width, height] = sizes.map(|name| args.uint(name));
    let (inner, width, height) = (inner?, width?, height?);
    if width == 0 || height == 0 || inner == 0 {
        return None;
    }
    // The loop counter of the kernels, a `uint`, can exceed `height`.
    if height > i32::MAX as u64 {
        return None;
    }
    let down = (height - 1).checked_mul(args.uint("row_stride")?)?;
    let column_stride = args.uint("column_stride")?;
    let across = (width.min(inner) - 1).checked_mul(column_stride)?;
    let outer_stride = args.uint("outer_stride")?;
    let out = ((width - 1) / inner).checked_mul(outer_stride)?;
    let last = down.checked_add(across)?.checked_add(out)?.checked_add(1)?;
    last.checked_add(args.uint("offset")?)
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

/// The column sums of 2, 4, 8, 16 and 32 matrices. 32 matrices take 772 of the
/// 1024 bytes of arguments that every OpenCL device accepts.
pub const REDUCE_SUMS: &[Kernel] = &[
    kernel!("engine/reduce.cl", "reduce_sums_2", |args| sums(args, 2)),
    kernel!("engine/reduce.cl", "reduce_sums_4", |args| sums(args, 4)),
    kernel!("engine/reduce.cl", "reduce_sums_8", |args| sums(args, 8)),
    kernel!("engine/reduce.cl", "reduce_sums_16", |args| sums(args, 16)),
    kernel!("engine/reduce.cl", "reduce_sums_32", |args| sums(args, 32)),
];

/// The reach for `count` matrices. The loop counter of the kernels, a `uint`,
/// can exceed the number of elements by some rows.
fn sums(args: &LaunchArgs, count: usize) -> Option<Reached> {
    (args.items(0) == 256 && args.items(1) * args.items(2) == 1)
        .then_some(())?;
    let mut reached = Reached::new();
    let sizes = args.uints("width0", 4)?.zip(args.uints("height0", 4)?);
    for (width, height) in sizes.take(count) {
        let (width, height) = (width?, height?);
        let all = width.checked_mul(height)?;
        let most = i32::MAX as u64;
        (width <= most && height <= most && all <= most).then_some(())?;
        reached.extend([all, width]);
    }
    Some(reached)
}

/// The reach for short strided rows.
fn few(args: &LaunchArgs) -> Option<Reached> {
    let (shape, strides) = (args.int8("shape")?, args.int8("strides")?);
    let reach = view(args.uint("offset")?, shape, strides)?;
    Some(smallvec![reach, args.uint("n")?])
}

/// The sum of each short strided row.
pub const REDUCE_FEW_SUM: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_sum", few);
/// The maximum of each short strided row.
pub const REDUCE_FEW_MAX: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_max", few);
/// The gradient of the maximum of each short strided row, split equally among
/// tied maxima.
pub const REDUCE_FEW_SHARE: Kernel =
    kernel!("engine/reduce.cl", "reduce_few_share", |args| {
        let (shape, strides) = (args.int8("shape")?, args.int8("strides")?);
        let reach = view(args.uint("offset")?, shape, strides)?;
        let all = dense_len(shape, args.int8("outs")?)?;
        let n = args.uint("n")?;
        // Each item handles a different row.
        (i128::from(n) == shape[..4].iter().product()).then_some(())?;
        let offsets = ["most_offset", "grads_offset"];
        let [most, grads] = offsets.map(|name| args.uint(name));
        Some(smallvec![reach, most? + n, grads? + n, all])
    });
