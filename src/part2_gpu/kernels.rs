//! The kernels of Part 2: the files of `kernels/part2/`, compiled into the
//! crate, each with its reach. The chapters from "How a GPU computes" to "A
//! borrow checker for kernels" write them.
//!
//! ```no_run
//! # fn main() -> Result<(), rungrad::Error> {
//! use rungrad::opencl::Gpu;
//! use rungrad::part2_gpu::kernels;
//!
//! let gpu = Gpu::first()?;
//! let a = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! let out = gpu.allocate::<f32>(3)?;
//! gpu.launch(&kernels::EW_MUL)
//!     .input(&a)
//!     .input(&a)
//!     .output(&out)
//!     .scalar(3_u32)
//!     .global(3)
//!     .local(256)
//!     .run()?;
//! assert_eq!(out.read()?, [1.0, 4.0, 9.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Launching one of these kernels is safe, for these reasons:
//!
//! - Each kernel guards its accesses by the sizes in its arguments. Its reach,
//!   defined below as a function of those sizes, is the number of elements
//!   that it may access in each buffer, and the host rejects a launch whose
//!   buffers are shorter.
//! - The host also rejects arguments of other types, groups that do not fit
//!   the device, and a buffer that is written through one argument and used
//!   through another.
//! - The contents of a buffer of row indices are not checked by the host; a
//!   kernel compares each index with a size.
//!
//! One test runs every kernel of [`ALL`] on ragged sizes under Oclgrind, which
//! reports any access out of bounds, any race and any use of an uninitialized
//! value. Another test runs them with random arguments, on buffers that are
//! exactly as long as their reach.

#![allow(unsafe_code)]

mod ladder;
mod totals;

pub use ladder::*;
pub use totals::*;

use smallvec::smallvec;

use crate::opencl::{Given, Kernel, Reached, counted, kernel, view};

/// Every kernel of Part 2.
pub const ALL: [&[Kernel]; 3] = [ONE_BY_ONE, ladder::ALL, totals::ALL];

// ANCHOR: reach
/// `out[i] = a[i] * b[i]`. Arguments: `a, b, out, n`.
pub const EW_MUL: Kernel = kernel!("part2/ew_mul.cl", "ew_mul", |given| {
    let n = given.uint(3)?;
    Some(smallvec![n, n, n])
});
// ANCHOR_END: reach

/// `out[i] = value`. Arguments: `out, value, n`.
pub const EW_FILL: Kernel =
    kernel!("part2/ew_fill.cl", "ew_fill", |given| Some(smallvec![
        given.uint(2)?
    ]));

/// One partial sum per group of 256. Arguments: `a, partials, n`.
pub const REDUCE_SUM: Kernel =
    kernel!("part2/reduce_sum.cl", "reduce_sum", |given| {
        Some(smallvec![given.uint(2)?, given.groups(0)])
    });

/// `out[i] = a[i] + b[i]`. Arguments: `a, b, out, n`.
pub const EW_ADD: Kernel = kernel!("part2/ew_add.cl", "ew_add", |given| {
    let n = given.uint(3)?;
    Some(smallvec![n, n, n])
});

/// `out[i] = a[i] / b[i]`. Arguments: `a, b, out, n`.
pub const EW_DIV: Kernel = kernel!("part2/ew_div.cl", "ew_div", |given| {
    let n = given.uint(3)?;
    Some(smallvec![n, n, n])
});

/// `out[i] = a[i] * b[i]`, four elements per item. Arguments: `a, b, out, n`.
pub const EW_MUL4: Kernel = kernel!("part2/ew_mul4.cl", "ew_mul4", |given| {
    let n = given.uint(3)?;
    Some(smallvec![n, n, n])
});

/// `out[i] = a[i]`, four elements per item. Arguments: `a, out, n`.
pub const EW_COPY4: Kernel =
    kernel!("part2/ew_copy4.cl", "ew_copy4", |given| {
        let n = given.uint(2)?;
        Some(smallvec![n, n])
    });

/// Chains of multiply-adds in `float`. Arguments: `a, out, n, steps`.
pub const CHAIN_F32: Kernel = kernel!("part2/chain.cl", "chain_f32", chain);

/// Chains of multiply-adds in `double`, which is optional in OpenCL.
/// Arguments: `a, out, n, steps`.
pub const CHAIN_F64: Kernel = kernel!("part2/chain.cl", "chain_f64", chain);

fn chain(given: &Given) -> Option<Reached> {
    let n = given.uint(2)?;
    Some(smallvec![n, n])
}

/// `out[i] = a[i] * b[i]` with broadcasting. Arguments: `a, a_strides, b,
/// b_strides, out, shape, n`.
pub const BROADCAST_MUL: Kernel =
    kernel!("part2/broadcast.cl", "broadcast_mul", broadcast);

/// `out[i] = a[i] + b[i]` with broadcasting. Arguments as [`BROADCAST_MUL`].
pub const BROADCAST_ADD: Kernel =
    kernel!("part2/broadcast.cl", "broadcast_add", broadcast);

/// `out[i] = a[i] / b[i]` with broadcasting. Arguments as [`BROADCAST_MUL`].
pub const BROADCAST_DIV: Kernel =
    kernel!("part2/broadcast.cl", "broadcast_div", broadcast);

fn broadcast(given: &Given) -> Option<Reached> {
    let shape = given.int8(5)?;
    let a = view(0, shape, given.int8(1)?)?;
    let b = view(0, shape, given.int8(3)?)?;
    Some(smallvec![a, b, given.uint(6)?])
}

/// `out[i] = exp(a[i])`. Arguments: `a, out, n`.
pub const EW_EXP: Kernel = kernel!("part2/ew_exp.cl", "ew_exp", |given| {
    let n = given.uint(2)?;
    Some(smallvec![n, n])
});

/// ReLU. Arguments: `a, out, n`.
pub const EW_RELU: Kernel = kernel!("part2/ew_relu.cl", "ew_relu", |given| {
    let n = given.uint(2)?;
    Some(smallvec![n, n])
});

/// The gradient of [`EW_RELU`]. Arguments: `grad_out, a, grad_a, n`.
pub const RELU_BACKWARD: Kernel =
    kernel!("part2/ew_relu.cl", "relu_backward", |given| {
        let n = given.uint(3)?;
        Some(smallvec![n, n, n])
    });

/// The Gaussian error linear unit. Arguments: `a, out, n`.
pub const EW_GELU: Kernel = kernel!("part2/ew_gelu.cl", "ew_gelu", |given| {
    let n = given.uint(2)?;
    Some(smallvec![n, n])
});

/// The gradient of [`EW_GELU`]. Arguments: `grad_out, a, grad_a, n`.
pub const GELU_BACKWARD: Kernel =
    kernel!("part2/ew_gelu.cl", "gelu_backward", |given| {
        let n = given.uint(3)?;
        Some(smallvec![n, n, n])
    });

/// `out[i] = a[i] * number`. Arguments: `a, out, number, n`.
pub const EW_SCALE: Kernel =
    kernel!("part2/ew_scale.cl", "ew_scale", |given| {
        let n = given.uint(3)?;
        Some(smallvec![n, n])
    });

/// The sum of each row, one group per row. Arguments: `a, out, columns`.
pub const REDUCE_ROWS: Kernel =
    kernel!("part2/reduce_rows.cl", "reduce_rows", |given| {
        let n = each_row(given, given.uint(2)?)?;
        Some(smallvec![n, given.groups(0)])
    });

/// Returns the number of elements of one row per group. `columns` is limited
/// to `i32::MAX` because the kernels' `uint` column index runs up to a group
/// past the end of a row.
fn each_row(given: &Given, columns: u64) -> Option<u64> {
    let countable = columns <= i32::MAX as u64;
    countable.then(|| given.groups(0) * columns)
}

/// The sum along one axis. Arguments: `a, out, length, inner, n`.
pub const REDUCE_AXIS: Kernel =
    kernel!("part2/reduce_axis.cl", "reduce_axis", |given| {
        let (length, inner) = (given.uint(2)?, given.uint(3)?);
        let n = given.uint(4)?;
        let outer = n.div_ceil(counted(inner)?);
        let all = counted(outer.checked_mul(length.checked_mul(inner)?)?);
        Some(smallvec![if length == 0 { 0 } else { all? }, n])
    });

/// Repeats the elements along one axis, the opposite of [`REDUCE_AXIS`].
/// Arguments: `a, out, length, inner, n`.
pub const EW_REPEAT: Kernel =
    kernel!("part2/ew_repeat.cl", "ew_repeat", |given| {
        let (length, inner) = (given.uint(2)?, given.uint(3)?);
        let n = given.uint(4)?;
        let outer = n.div_ceil(counted(length * inner)?);
        Some(smallvec![outer * inner, n])
    });

/// Transposes each matrix of a batch, one group per tile. Arguments: `a, out,
/// rows, columns`.
pub const TRANSPOSE_TILED: Kernel =
    kernel!("part2/transpose_tiled.cl", "transpose_tiled", |given| {
        let matrix = given.uint(2)?.checked_mul(given.uint(3)?)?;
        let n = counted(given.groups(2).checked_mul(matrix)?)?;
        Some(smallvec![n, n])
    });

/// The logarithm of softmax, one group per row. Arguments: `a, out, columns`.
pub const SOFTMAX_LOG: Kernel =
    kernel!("part2/softmax_log.cl", "softmax_log", |given| {
        let n = each_row(given, given.uint(2)?)?;
        Some(smallvec![n, n])
    });

/// Selects the element of each row that its label names. Arguments: `a,
/// labels, out, classes, rows`.
pub const PICK_LABELS: Kernel =
    kernel!("part2/pick.cl", "pick_labels", |given| {
        let (classes, rows) = (given.uint(3)?, given.uint(4)?);
        Some(smallvec![rows * classes, rows, rows])
    });

/// The gradient of [`PICK_LABELS`]. Arguments: `grad_out, labels, grad_a,
/// classes, n`.
pub const PICK_BACKWARD: Kernel =
    kernel!("part2/pick.cl", "pick_backward", |given| {
        let (classes, n) = (given.uint(3)?, given.uint(4)?);
        let rows = n.div_ceil(counted(classes)?);
        Some(smallvec![rows, rows, n])
    });

/// Matrix-vector product, one item per row. Arguments: `a, v, out, m, k`.
pub const MATVEC_ROWS: Kernel =
    kernel!("part2/matvec_rows.cl", "matvec_rows", matvec);

/// Matrix-vector product, a team of 32 items per row, in groups of 32 by 8.
/// Arguments: `a, v, out, m, k`.
pub const MATVEC_TEAMS: Kernel =
    kernel!("part2/matvec_teams.cl", "matvec_teams", matvec);

/// Returns the reach of `(m, k) x (k)`. The sizes are limited to `i32::MAX`
/// because the kernels' `uint` index runs up to a team past the end of a row.
fn matvec(given: &Given) -> Option<Reached> {
    let [m, k] = [given.uint(3)?, given.uint(4)?];
    let countable = [m, k].iter().all(|&size| size <= i32::MAX as u64);
    countable.then(|| smallvec![m * k, k, m])
}

const ONE_BY_ONE: &[Kernel] = &[
    EW_MUL,
    EW_FILL,
    REDUCE_SUM,
    EW_ADD,
    EW_DIV,
    EW_MUL4,
    EW_COPY4,
    CHAIN_F32,
    CHAIN_F64,
    BROADCAST_MUL,
    BROADCAST_ADD,
    BROADCAST_DIV,
    EW_EXP,
    EW_RELU,
    RELU_BACKWARD,
    EW_GELU,
    GELU_BACKWARD,
    EW_SCALE,
    REDUCE_ROWS,
    REDUCE_AXIS,
    EW_REPEAT,
    TRANSPOSE_TILED,
    SOFTMAX_LOG,
    PICK_LABELS,
    PICK_BACKWARD,
    MATVEC_ROWS,
    MATVEC_TEAMS,
];
