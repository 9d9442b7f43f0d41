//! The kernels of Part 3: arrays that begin at an offset, and views.

use super::super::Kernel;
use super::super::argument::Given;
use super::{counted, view};

/// `out[i] = f(a[i])`: arguments `a, a_offset, p, out, n`.
fn unary(given: &Given) -> Option<Vec<u64>> {
    let n = given.uint(4)?;
    Some(vec![given.uint(1)? + n, n])
}

/// `out[i] = f(a[i], b[i])`: arguments `a, a_offset, b, b_offset, out, n`.
fn binary(given: &Given) -> Option<Vec<u64>> {
    let n = given.uint(5)?;
    Some(vec![given.uint(1)? + n, given.uint(3)? + n, n])
}

/// The same through strides: arguments `a, a_offset, a_strides, b, b_offset,
/// b_strides, shape, out, n`.
fn strided(given: &Given) -> Option<Vec<u64>> {
    let shape = given.int8(6)?;
    let a = view(given.uint(1)?, shape, given.int8(2)?)?;
    let b = view(given.uint(4)?, shape, given.int8(5)?)?;
    Some(vec![a, b, given.uint(8)?])
}

/// Kernels of one file with one reach.
macro_rules! kernels {
    ($file:literal, $reach:expr, $($constant:ident $name:literal,)*) => {$(
        #[doc = concat!("`", $name, "` of `kernels/", $file, "`.")]
        pub const $constant: Kernel = kernel!($file, $name, $reach);
    )*};
}

kernels! { "part3/elementwise.cl", unary,
    UNARY_SCALE "unary_scale",
    UNARY_SHIFT "unary_shift",
    UNARY_OVER "unary_over",
    UNARY_UNDER "unary_under",
    UNARY_SQRT "unary_sqrt",
    UNARY_SQUARE "unary_square",
    UNARY_POW "unary_pow",
    UNARY_EXP "unary_exp",
    UNARY_LOG "unary_log",
    UNARY_RELU "unary_relu",
    UNARY_TANH "unary_tanh",
    UNARY_SIGMOID "unary_sigmoid",
    UNARY_SIN "unary_sin",
    UNARY_COS "unary_cos",
}

kernels! { "part3/elementwise.cl", binary,
    BINARY_ADD "binary_add",
    BINARY_MUL "binary_mul",
    BINARY_DIV "binary_div",
    BINARY_LESS "binary_less",
    BINARY_AT_MOST "binary_at_most",
    BINARY_EQUAL "binary_equal",
}

kernels! { "part3/elementwise.cl", strided,
    STRIDED_ADD "strided_add",
    STRIDED_MUL "strided_mul",
    STRIDED_DIV "strided_div",
    STRIDED_LESS "strided_less",
    STRIDED_AT_MOST "strided_at_most",
    STRIDED_EQUAL "strided_equal",
}

/// The elements of one array or of another: arguments `mask, mask_offset,
/// a, a_offset, b, b_offset, out, n`.
pub const CHOOSE_ELEMENTS: Kernel =
    kernel!("part3/choose.cl", "choose_elements", |given| {
        let n = given.uint(7)?;
        let from = |place| Some(given.uint(place)? + n);
        Some(vec![from(1)?, from(3)?, from(5)?, n])
    });

/// The elements of a view: arguments `a, offset, shape, strides, out, n`.
pub const COPY_STRIDED: Kernel =
    kernel!("part3/copy.cl", "copy_strided", |given| {
        let reach = view(given.uint(1)?, given.int8(2)?, given.int8(3)?)?;
        Some(vec![reach, given.uint(5)?])
    });

/// Elements to a view: arguments `a, a_offset, out, offset, shape, strides,
/// n`.
pub const COPY_PASTE: Kernel =
    kernel!("part3/copy.cl", "copy_paste", |given| {
        let reach = view(given.uint(3)?, given.int8(4)?, given.int8(5)?)?;
        Some(vec![given.uint(1)? + given.uint(6)?, reach])
    });

/// Elements to a view whose places are counted: arguments `a, a_offset, given,
/// places, out, n`.
pub const COPY_PLACES: Kernel =
    kernel!("part3/copy.cl", "copy_places", |given| {
        let n = given.uint(5)?;
        Some(vec![given.uint(1)? + given.uint(2)?, n, n])
    });

/// Rows, in n parts: arguments `a, offset, row_stride, columns, segment, out,
/// n`.
fn rows(given: &Given) -> Option<Vec<u64>> {
    let (columns, segment) = (given.uint(3)?, given.uint(4)?);
    // The kernels count a group beyond the end of a row, in `uint`.
    if columns == 0 || segment == 0 || columns > i32::MAX as u64 {
        return None;
    }
    let n = given.uint(6)?;
    let rows = n.div_ceil(columns.div_ceil(segment));
    let last = rows.saturating_sub(1) * given.uint(2)? + columns;
    Some(vec![given.uint(1)? + last, n])
}

/// Columns, one item for each part of one: arguments `a, offset, row_stride,
/// column_stride, width, height, segment, out`.
fn columns(given: &Given) -> Option<Vec<u64>> {
    let [width, height, segment] = [4, 5, 6].map(|place| given.uint(place));
    let (width, height, segment) = (width?, height?, segment?);
    if width == 0 || height == 0 || segment == 0 {
        return None;
    }
    let down = (height - 1).checked_mul(given.uint(2)?)?;
    let across = (width - 1).checked_mul(given.uint(3)?)?;
    let last = down.checked_add(across)?.checked_add(1)?;
    let parts = height.div_ceil(segment);
    Some(vec![given.uint(1)? + last, width * parts])
}

kernels! { "part3/reduce.cl", rows,
    REDUCE_ROWS_SUM "reduce_rows_sum",
    REDUCE_ROWS_MAX "reduce_rows_max",
}

kernels! { "part3/reduce.cl", columns,
    REDUCE_COLUMNS_SUM "reduce_columns_sum",
    REDUCE_COLUMNS_MAX "reduce_columns_max",
}

/// A batch of products of matrices, through strides: arguments `a, a_offset,
/// b, b_offset, strides, out, m, k, n`.
pub const BATCH_MATMUL: Kernel =
    kernel!("part3/matmul.cl", "batch_matmul", |given| {
        let sizes = [6, 7, 8].map(|place| given.uint(place));
        let (m, k, n) = (sizes[0]?, sizes[1]?, sizes[2]?);
        let [a, b] = [[m, k], [k, n]];
        // The kernel counts a tile beyond `k`.
        if k > i32::MAX as u64 {
            return None;
        }
        let strides = given.int8(4)?;
        let batch = u64::try_from(strides[6]).ok()?;
        let reach = |offset: usize, [rows, columns]: [u64; 2], at: usize| {
            let shape = [batch, rows, columns, 1, 1, 1, 1, 1].map(i128::from);
            let mut steps = [0; 8];
            steps[..3].copy_from_slice(&strides[at..at + 3]);
            view(given.uint(offset)?, shape, steps)
        };
        let out = batch.checked_mul(m)?.checked_mul(n)?;
        Some(vec![reach(1, a, 0)?, reach(3, b, 3)?, out])
    });

/// Rows by their numbers: arguments `a, offset, rows, width, places, out, n`.
pub const GATHER_ROWS: Kernel =
    kernel!("part3/rows.cl", "gather_rows", |given| {
        let (width, n) = (given.uint(3)?, given.uint(6)?);
        let all = given.uint(1)? + given.uint(2)? * width;
        Some(vec![all, n.div_ceil(counted(width)?), n])
    });

/// Rows added to their places: arguments `a, offset, given, width, starts,
/// order, out, n`.
pub const SCATTER_ROWS: Kernel =
    kernel!("part3/rows.cl", "scatter_rows", |given| {
        let (rows, width) = (given.uint(2)?, given.uint(3)?);
        let n = given.uint(7)?;
        let all = given.uint(1)? + rows * width;
        Some(vec![all, n.div_ceil(counted(width)?) + 1, rows, n])
    });

/// Windows added up to images: arguments `a, offset, sizes, out, n`.
pub const FOLD_WINDOWS: Kernel =
    kernel!("part3/fold.cl", "fold_windows", |given| {
        let sizes = given.int8(2)?;
        if sizes.iter().any(|&size| size < 1) {
            return None;
        }
        let [h, w, windows @ ..] = sizes.map(|size| size as u64);
        let n = given.uint(4)?;
        let times = |all: u64, size: &u64| all.checked_mul(*size);
        let images = n.div_ceil(h * w);
        let all = windows[..4].iter().try_fold(images, times)?;
        Some(vec![given.uint(1)?.checked_add(all)?, n])
    });

/// The first numbers of a seed's sequence: arguments `out, seed_low,
/// seed_high, n`.
pub const FILL_UNIFORM: Kernel =
    kernel!("part3/fill.cl", "fill_uniform", |given| {
        Some(vec![given.uint(3)?])
    });

/// Every kernel of Part 3.
pub(super) const ALL: &[Kernel] = &[
    UNARY_SCALE,
    UNARY_SHIFT,
    UNARY_OVER,
    UNARY_UNDER,
    UNARY_SQRT,
    UNARY_SQUARE,
    UNARY_POW,
    UNARY_EXP,
    UNARY_LOG,
    UNARY_RELU,
    UNARY_TANH,
    UNARY_SIGMOID,
    UNARY_SIN,
    UNARY_COS,
    BINARY_ADD,
    BINARY_MUL,
    BINARY_DIV,
    BINARY_LESS,
    BINARY_AT_MOST,
    BINARY_EQUAL,
    STRIDED_ADD,
    STRIDED_MUL,
    STRIDED_DIV,
    STRIDED_LESS,
    STRIDED_AT_MOST,
    STRIDED_EQUAL,
    CHOOSE_ELEMENTS,
    COPY_STRIDED,
    COPY_PASTE,
    COPY_PLACES,
    REDUCE_ROWS_SUM,
    REDUCE_ROWS_MAX,
    REDUCE_COLUMNS_SUM,
    REDUCE_COLUMNS_MAX,
    BATCH_MATMUL,
    GATHER_ROWS,
    SCATTER_ROWS,
    FOLD_WINDOWS,
    FILL_UNIFORM,
];
