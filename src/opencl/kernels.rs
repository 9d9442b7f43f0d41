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

/// Every kernel of this crate.
pub const ALL: &[Kernel] = &[EW_MUL, EW_FILL, REDUCE_SUM];
