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

use smallvec::smallvec;

use crate::opencl::{Kernel, LaunchArgs, Reached, counted, kernel, view};

// ANCHOR: reach
/// `out[i] = a[i] * b[i]`. Arguments: `a, b, out, n`.
pub const EW_MUL: Kernel = kernel!("part2/ew_mul.cl", "ew_mul", |args| {
    let n = args.uint("n")?;
    Some(smallvec![n, n, n])
});
// ANCHOR_END: reach

/// Returns the reach of an elementwise kernel: `n` elements of each of its
/// buffers.
fn elementwise<const BUFFERS: usize>(args: &LaunchArgs) -> Option<Reached> {
    Some(Reached::from_elem(args.uint("n")?, BUFFERS))
}

/// `out[i] = value`. Arguments: `out, value, n`.
pub const EW_FILL: Kernel =
    kernel!("part2/ew_fill.cl", "ew_fill", elementwise::<1>);

/// One partial sum per group of 256. Arguments: `a, partials, n`.
pub const REDUCE_SUM: Kernel =
    kernel!("part2/reduce_sum.cl", "reduce_sum", |args| {
        Some(smallvec![args.uint("n")?, args.groups(0)])
    });

/// `out[i] = a[i] + b[i]`. Arguments: `a, b, out, n`.
pub const EW_ADD: Kernel =
    kernel!("part2/ew_add.cl", "ew_add", elementwise::<3>);

/// `out[i] = a[i] / b[i]`. Arguments: `a, b, out, n`.
pub const EW_DIV: Kernel =
    kernel!("part2/ew_div.cl", "ew_div", elementwise::<3>);

/// `out[i] = a[i] * b[i]`, four elements per item. Arguments: `a, b, out, n`.
pub const EW_MUL4: Kernel =
    kernel!("part2/ew_mul4.cl", "ew_mul4", elementwise::<3>);

/// `out[i] = a[i]`, four elements per item. Arguments: `a, out, n`.
pub const EW_COPY4: Kernel =
    kernel!("part2/ew_copy4.cl", "ew_copy4", elementwise::<2>);

/// Chains of multiply-adds in `float`. Arguments: `a, out, n, steps`.
pub const CHAIN_F32: Kernel =
    kernel!("part2/chain.cl", "chain_f32", elementwise::<2>);

/// Chains of multiply-adds in `double`, which is optional in OpenCL.
/// Arguments: `a, out, n, steps`.
pub const CHAIN_F64: Kernel =
    kernel!("part2/chain.cl", "chain_f64", elementwise::<2>);

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

fn broadcast(args: &LaunchArgs) -> Option<Reached> {
    let shape = args.int8("shape")?;
    let a = view(0, shape, args.int8("a_strides")?)?;
    let b = view(0, shape, args.int8("b_strides")?)?;
    Some(smallvec![a, b, args.uint("n")?])
}

/// `out[i] = exp(a[i])`. Arguments: `a, out, n`.
pub const EW_EXP: Kernel =
    kernel!("part2/ew_exp.cl", "ew_exp", elementwise::<2>);

/// ReLU. Arguments: `a, out, n`.
pub const EW_RELU: Kernel =
    kernel!("part2/ew_relu.cl", "ew_relu", elementwise::<2>);

/// The gradient of [`EW_RELU`]. Arguments: `grad_out, a, grad_a, n`.
pub const RELU_BACKWARD: Kernel =
    kernel!("part2/ew_relu.cl", "relu_backward", elementwise::<3>);

/// The Gaussian error linear unit. Arguments: `a, out, n`.
pub const EW_GELU: Kernel =
    kernel!("part2/ew_gelu.cl", "ew_gelu", elementwise::<2>);

/// The gradient of [`EW_GELU`]. Arguments: `grad_out, a, grad_a, n`.
pub const GELU_BACKWARD: Kernel =
    kernel!("part2/ew_gelu.cl", "gelu_backward", elementwise::<3>);

/// `out[i] = a[i] * factor`. Arguments: `a, out, factor, n`.
pub const EW_SCALE: Kernel =
    kernel!("part2/ew_scale.cl", "ew_scale", elementwise::<2>);

/// The sum of each row, one group per row. Arguments: `a, out, columns`.
pub const REDUCE_ROWS: Kernel =
    kernel!("part2/reduce_rows.cl", "reduce_rows", |args| {
        let n = each_row(args)?;
        Some(smallvec![n, args.groups(0)])
    });

/// Returns the number of elements of one row per group. `columns` is limited
/// to `i32::MAX` because the kernels' `uint` column index runs up to a group
/// past the end of a row.
fn each_row(args: &LaunchArgs) -> Option<u64> {
    let columns = args.uint("columns")?;
    (columns <= i32::MAX as u64).then(|| args.groups(0) * columns)
}

/// The sum along one axis. Arguments: `a, out, length, inner, n`.
pub const REDUCE_AXIS: Kernel =
    kernel!("part2/reduce_axis.cl", "reduce_axis", |args| {
        let (length, inner) = (args.uint("length")?, args.uint("inner")?);
        let n = args.uint("n")?;
        let outer = n.div_ceil(counted(inner)?);
        let all = counted(outer.checked_mul(length.checked_mul(inner)?)?);
        Some(smallvec![if length == 0 { 0 } else { all? }, n])
    });

/// Repeats the elements along one axis, the opposite of [`REDUCE_AXIS`].
/// Arguments: `a, out, length, inner, n`.
pub const EW_REPEAT: Kernel =
    kernel!("part2/ew_repeat.cl", "ew_repeat", |args| {
        let (length, inner) = (args.uint("length")?, args.uint("inner")?);
        let n = args.uint("n")?;
        let outer = n.div_ceil(counted(length * inner)?);
        Some(smallvec![outer * inner, n])
    });

/// Transposes each matrix of a batch, one group per tile. Arguments: `a, out,
/// rows, columns`.
pub const TRANSPOSE_TILED: Kernel =
    kernel!("part2/transpose_tiled.cl", "transpose_tiled", |args| {
        let (rows, columns) = (args.uint("rows")?, args.uint("columns")?);
        let matrix = rows.checked_mul(columns)?;
        let n = counted(args.groups(2).checked_mul(matrix)?)?;
        Some(smallvec![n, n])
    });

/// The logarithm of softmax, one group per row. Arguments: `a, out, columns`.
pub const SOFTMAX_LOG: Kernel =
    kernel!("part2/softmax_log.cl", "softmax_log", |args| {
        let n = each_row(args)?;
        Some(smallvec![n, n])
    });

/// Selects the element of each row that its label names. Arguments: `a,
/// labels, out, classes, rows`.
pub const PICK_LABELS: Kernel =
    kernel!("part2/pick.cl", "pick_labels", |args| {
        let (classes, rows) = (args.uint("classes")?, args.uint("rows")?);
        Some(smallvec![rows * classes, rows, rows])
    });

/// The gradient of [`PICK_LABELS`]. Arguments: `grad_out, labels, grad_a,
/// classes, n`.
pub const PICK_BACKWARD: Kernel =
    kernel!("part2/pick.cl", "pick_backward", |args| {
        let (classes, n) = (args.uint("classes")?, args.uint("n")?);
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
fn matvec(args: &LaunchArgs) -> Option<Reached> {
    let [m, k] = [args.uint("m")?, args.uint("k")?];
    let countable = [m, k].iter().all(|&size| size <= i32::MAX as u64);
    countable.then(|| smallvec![m * k, k, m])
}

// The matmul ladder.

/// Matrix multiplication, one item per element of the result. Arguments of
/// this and the other kernels: `a, b, out, m, k, n`.
pub const MATMUL1_NAIVE: Kernel =
    kernel!("part2/matmul1_naive.cl", "matmul1_naive", matmul);

/// Adjacent items read adjacent elements.
pub const MATMUL2_COALESCED: Kernel =
    kernel!("part2/matmul2_coalesced.cl", "matmul2_coalesced", matmul);

/// A group shares tiles of the operands in local memory.
pub const MATMUL3_TILED: Kernel =
    kernel!("part2/matmul3_tiled.cl", "matmul3_tiled", matmul);

/// An item computes 16 vertically adjacent elements, from registers.
pub const MATMUL4_COLUMN: Kernel =
    kernel!("part2/matmul4_column.cl", "matmul4_column", matmul);

/// An item computes a block of 8 x 8 elements.
pub const MATMUL5_BLOCK: Kernel =
    kernel!("part2/matmul5_block.cl", "matmul5_block", matmul);

/// Loads and stores are `float4`.
pub const MATMUL6_VECTOR: Kernel =
    kernel!("part2/matmul6_vector.cl", "matmul6_vector", matmul);

/// The next tiles are loaded while the current ones are multiplied.
pub const MATMUL7_AHEAD: Kernel =
    kernel!("part2/matmul7_ahead.cl", "matmul7_ahead", matmul);

/// An item computes a block of 16 x 8 elements.
pub const MATMUL8_TALL: Kernel =
    kernel!("part2/matmul8_tall.cl", "matmul8_tall", matmul);

/// [`MATMUL3_TILED`] with compensated summation.
pub const MATMUL_TILED_KAHAN: Kernel =
    kernel!("part2/matmul_tiled_kahan.cl", "matmul_tiled_kahan", matmul);

/// [`MATMUL7_AHEAD`] with compensated summation.
pub const MATMUL_AHEAD_KAHAN: Kernel =
    kernel!("part2/matmul_ahead_kahan.cl", "matmul_ahead_kahan", matmul);

/// Returns the reach of `(m, k) x (k, n)`. The sizes are limited to `i32::MAX`
/// because the kernels' `uint` indices run up to a tile past the edge.
fn matmul(args: &LaunchArgs) -> Option<Reached> {
    let [m, k, n] = [args.uint("m")?, args.uint("k")?, args.uint("n")?];
    let countable = [m, k, n].iter().all(|&size| size <= i32::MAX as u64);
    countable.then(|| smallvec![m * k, k * n, m * n])
}

// The ways to sum an array, in addition to `REDUCE_SUM`.

/// One partial sum per group, adjacent elements first. Arguments of the
/// kernels that write partial sums: `a, partials, n`.
pub const REDUCE_INTERLEAVED: Kernel =
    kernel!("part2/reduce_interleaved.cl", "reduce_interleaved", partials);

/// The same additions, done by the first items of the group.
pub const REDUCE_PACKED: Kernel =
    kernel!("part2/reduce_packed.cl", "reduce_packed", partials);

/// An item adds up many elements before the tree begins.
pub const REDUCE_COARSE: Kernel =
    kernel!("part2/reduce_coarse.cl", "reduce_coarse", partials);

/// Each group adds its sum to a total, which must start at 0. Arguments: `a,
/// total, n`.
pub const REDUCE_ATOMIC: Kernel =
    kernel!("part2/reduce_atomic.cl", "reduce_atomic", |args| {
        Some(smallvec![strided(args)?, 1])
    });

/// The last group adds up the partial sums of all. Arguments: `a, partials,
/// total, finished, n`; `finished` must start at 0.
pub const REDUCE_LAST: Kernel =
    kernel!("part2/reduce_last.cl", "reduce_last", |args| {
        Some(smallvec![strided(args)?, args.groups(0), 1, 1])
    });

fn partials(args: &LaunchArgs) -> Option<Reached> {
    Some(smallvec![strided(args)?, args.groups(0)])
}

/// Returns the number of elements that are summed. An item's `uint` index
/// advances by the number of items until it is past the last element, so their
/// sum must fit.
fn strided(args: &LaunchArgs) -> Option<u64> {
    let (n, items) = (args.uint("n")?, args.groups(0) * args.items(0));
    (n + items <= u32::MAX.into()).then_some(n)
}

/// Every kernel of Part 2.
pub const ALL: &[Kernel] = &[
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
    MATMUL1_NAIVE,
    MATMUL2_COALESCED,
    MATMUL3_TILED,
    MATMUL4_COLUMN,
    MATMUL5_BLOCK,
    MATMUL6_VECTOR,
    MATMUL7_AHEAD,
    MATMUL8_TALL,
    MATMUL_TILED_KAHAN,
    MATMUL_AHEAD_KAHAN,
    REDUCE_INTERLEAVED,
    REDUCE_PACKED,
    REDUCE_COARSE,
    REDUCE_ATOMIC,
    REDUCE_LAST,
];
