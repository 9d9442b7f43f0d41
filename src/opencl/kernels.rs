//! The kernels that are compiled into this crate.
//!
//! Launching one of these is safe, and this is the argument. Every kernel
//! guards its accesses by the sizes that it is given; the host checks that
//! each buffer is at least as long as those sizes say, that arguments have
//! the right types, and that groups fit the device; and a test runs every
//! kernel of [`ALL`] on ragged sizes under Oclgrind, which reports any access
//! out of bounds, any race and any use of a value that nobody wrote.

use super::Kernel;

/// The kernel `$name` of the file `$file` under `kernels/`.
macro_rules! kernel {
    ($file:literal, $name:literal) => {
        Kernel::new(
            concat!("kernels/", $file),
            include_str!(concat!("../../kernels/", $file)),
            $name,
        )
    };
}

/// `out[i] = a[i] * b[i]`: arguments `a, b, out, n`.
pub const EW_MUL: Kernel = kernel!("part2/ew_mul.cl", "ew_mul");

/// `out[i] = value`: arguments `out, value, n`.
pub const EW_FILL: Kernel = kernel!("part2/ew_fill.cl", "ew_fill");

/// One partial sum for each group of 256: arguments `a, partials, n`.
pub const REDUCE_SUM: Kernel = kernel!("part2/reduce_sum.cl", "reduce_sum");

/// `out[i] = a[i] + b[i]`: arguments `a, b, out, n`.
pub const EW_ADD: Kernel = kernel!("part2/ew_add.cl", "ew_add");

/// `out[i] = number[0]`: arguments `number, out, n`.
pub const EW_REPEAT: Kernel = kernel!("part2/ew_repeat.cl", "ew_repeat");

/// `out[i] = exp(a[i])`: arguments `a, a_offset, out, n`.
pub const UNARY_EXP: Kernel = kernel!("part3/elementwise.cl", "unary_exp");

/// `out[i] = a[i] + b[i]`: arguments `a, a_offset, b, b_offset, out, n`.
pub const BINARY_ADD: Kernel = kernel!("part3/elementwise.cl", "binary_add");

/// `out[i] = a[i] * b[i]`: arguments `a, a_offset, b, b_offset, out, n`.
pub const BINARY_MUL: Kernel = kernel!("part3/elementwise.cl", "binary_mul");

/// The elements of a view: arguments `a, offset, shape, strides, out, n`.
pub const COPY_STRIDED: Kernel = kernel!("part3/copy.cl", "copy_strided");

/// The sum of each row: arguments `a, offset, out, columns`.
pub const REDUCE_ROWS_SUM: Kernel =
    kernel!("part3/reduce.cl", "reduce_rows_sum");

/// Every kernel of this crate.
pub const ALL: &[Kernel] = &[
    EW_MUL,
    EW_FILL,
    REDUCE_SUM,
    EW_ADD,
    EW_REPEAT,
    UNARY_EXP,
    BINARY_ADD,
    BINARY_MUL,
    COPY_STRIDED,
    REDUCE_ROWS_SUM,
];
