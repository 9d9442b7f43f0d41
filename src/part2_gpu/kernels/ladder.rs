//! The kernels of "The matmul ladder": eight for one product, and two of them
//! with compensated summation for long sums.

use smallvec::smallvec;

use crate::opencl::{Given, Kernel, Reached, kernel};

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
fn matmul(given: &Given) -> Option<Reached> {
    let [m, k, n] = [given.uint(3)?, given.uint(4)?, given.uint(5)?];
    let countable = [m, k, n].iter().all(|&size| size <= i32::MAX as u64);
    countable.then(|| smallvec![m * k, k * n, m * n])
}

pub(super) const ALL: &[Kernel] = &[
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
];
