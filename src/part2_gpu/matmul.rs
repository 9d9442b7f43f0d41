//! The matmul ladder: kernels that all multiply matrices, each with one
//! optimization more than the one before. The chapters from "The matmul
//! ladder" to "Which rung?" build them.

use super::{Tensor, kernels};
use crate::error::Result;
use crate::opencl::{Buffer, Kernel, Launch};

/// A kernel of the ladder, and how it partitions the result.
#[derive(Clone, Copy, Debug)]
pub struct MatmulRung {
    /// The kernel. Arguments: `a, b, out, m, k, n`.
    pub kernel: Kernel,
    /// The side of the square tile of the result that one group computes.
    pub tile: usize,
    /// The rows and columns of the result that one item computes.
    pub block: [usize; 2],
    /// The size of a work-group, in the kernel's two dimensions.
    pub group: [usize; 2],
    /// Whether the kernel's first dimension runs over the rows.
    pub rows_first: bool,
    /// Whether a group shares what it loads, through local memory.
    pub shares: bool,
}

/// The kernels, from the simplest to the fastest.
pub const MATMUL_LADDER: [MatmulRung; 8] = [
    MatmulRung { rows_first: true, ..unshared(kernels::MATMUL1_NAIVE) },
    unshared(kernels::MATMUL2_COALESCED),
    shared(kernels::MATMUL3_TILED, 16, [1, 1], [16, 16]),
    shared(kernels::MATMUL4_COLUMN, 64, [16, 1], [64, 4]),
    shared(kernels::MATMUL5_BLOCK, 128, [8, 8], [16, 16]),
    shared(kernels::MATMUL6_VECTOR, 128, [8, 8], [256, 1]),
    shared(kernels::MATMUL7_AHEAD, 128, [8, 8], [256, 1]),
    shared(kernels::MATMUL8_TALL, 128, [16, 8], [128, 1]),
];

/// Two kernels of the ladder with compensated summation, for sums of more than
/// `MAX_PLAIN_SUM` products.
#[doc(hidden)]
pub const KAHAN: [MatmulRung; 2] = [
    shared(kernels::MATMUL_TILED_KAHAN, 16, [1, 1], [16, 16]),
    shared(kernels::MATMUL_AHEAD_KAHAN, 128, [8, 8], [256, 1]),
];

/// Maximum number of products that are added up without compensation. Each
/// addition rounds by at most 6e-8 of the sum so far, so together they round
/// by less than 1e-5.
const MAX_PLAIN_SUM: usize = 128;

const fn unshared(kernel: Kernel) -> MatmulRung {
    MatmulRung { shares: false, ..shared(kernel, 16, [1, 1], [16, 16]) }
}

const fn shared(
    kernel: Kernel,
    tile: usize,
    block: [usize; 2],
    group: [usize; 2],
) -> MatmulRung {
    MatmulRung { kernel, tile, block, group, rows_first: false, shares: true }
}

impl MatmulRung {
    // ANCHOR: loads
    /// Returns the number of values that are loaded for one element of the
    /// result, a sum of `k` products: from global memory, and from local
    /// memory.
    ///
    /// A value that a group loads from global memory is used for a row or
    /// column of its tile. A value that an item loads from local memory is
    /// used for a row or column of its block.
    pub fn loads(&self, k: usize) -> [f64; 2] {
        let k = k as f64;
        if !self.shares {
            return [2.0 * k, 0.0];
        }
        let [rows, columns] = self.block.map(|side| side as f64);
        [2.0 * k / self.tile as f64, k / rows + k / columns]
    }
    // ANCHOR_END: loads

    /// Prepares a launch of `(m, k) x (k, n)` on the device of the buffers,
    /// with one group per tile of the result.
    pub fn launch<'a>(
        &'a self,
        a: &'a Buffer<f32>,
        b: &'a Buffer<f32>,
        out: &'a Buffer<f32>,
        [m, k, n]: [usize; 3],
    ) -> Launch<'a> {
        let down = m.div_ceil(self.tile);
        let across = n.div_ceil(self.tile);
        let groups =
            if self.rows_first { [down, across] } else { [across, down] };
        let items = [0, 1].map(|d| groups[d] * self.group[d]);
        a.gpu()
            .launch(&self.kernel)
            .input(a)
            .input(b)
            .output(out)
            .scalar(m as u32)
            .scalar(k as u32)
            .scalar(n as u32)
            .global(items)
            .local(self.group)
    }
}

// ANCHOR: choose
/// Chooses the kernel for `(m, k) x (k, n)` on a device with `units` compute
/// units.
///
/// A group keeps one compute unit busy and computes one tile, so a large tile
/// needs a large result to fill the device. On an H200 the last kernel of the
/// ladder is the fastest if there is a tile for each unit and the rows are a
/// multiple of 4 long. The kernel before it, whose groups have twice the
/// number of items, is the fastest down to an eighth of that number of tiles,
/// and small tiles are the fastest below. Sums of more than 128 products need
/// a kernel with compensated summation.
#[doc(hidden)]
pub fn choose(units: usize, [m, k, n]: [usize; 3]) -> &'static MatmulRung {
    let [_, _, tiled, .., ahead, tall] = &MATMUL_LADDER;
    let tiles = |rung: &MatmulRung| (m / rung.tile) * (n / rung.tile);
    let (units, fours) = (units.max(1), k % 4 == 0 && n % 4 == 0);
    let (fills, is_long) = (8 * tiles(ahead) >= units, k > MAX_PLAIN_SUM);
    let [tiled_kahan, ahead_kahan] = &KAHAN;
    match (fills, is_long) {
        (false, true) => tiled_kahan,
        (true, true) => ahead_kahan,
        _ if fours && tiles(tall) >= units => tall,
        (true, false) => ahead,
        (false, false) => tiled,
    }
}
// ANCHOR_END: choose

// ANCHOR: product
/// Multiplies two matrices, `(m, k) x (k, n)`. The caller has checked the
/// shapes.
pub(super) fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let out = a.gpu().allocate((m * n).max(1))?;
    if m * n > 0 {
        let units = a.gpu().info().compute_units as usize;
        let rung = choose(units, [m, k, n]);
        rung.launch(a.buffer(), b.buffer(), &out, [m, k, n]).run()?;
    }
    Ok(Tensor::plain(&[m, n], out))
}
// ANCHOR_END: product
