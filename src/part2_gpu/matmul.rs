//! The ladder: kernels that all multiply matrices, each with one idea more
//! than the one before. "The matmul ladder" climbs it.

use super::{Tensor, kernels};
use crate::error::Result;
use crate::opencl::{Buffer, Kernel, Launch};

/// A kernel of the ladder, and how it shares out the elements of the result.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The kernel: arguments `a, b, out, m, k, n`.
    pub kernel: Kernel,
    /// The rows of the result that one group computes, and as many columns.
    pub tile: usize,
    /// The rows and columns of the result that one item computes.
    pub block: [usize; 2],
    /// The work-items of a group, in the kernel's two dimensions.
    pub group: [usize; 2],
    /// Whether the kernel's first dimension runs down the rows.
    pub rows_first: bool,
    /// Whether a group shares what it loads, through local memory.
    pub shares: bool,
}

/// From the ground up.
pub const LADDER: [Rung; 8] = [
    Rung { rows_first: true, ..alone(kernels::MATMUL1_NAIVE) },
    alone(kernels::MATMUL2_COALESCED),
    shared(kernels::MATMUL3_TILED, 16, [1, 1], [16, 16]),
    shared(kernels::MATMUL4_COLUMN, 64, [16, 1], [64, 4]),
    shared(kernels::MATMUL5_BLOCK, 128, [8, 8], [16, 16]),
    shared(kernels::MATMUL6_VECTOR, 128, [8, 8], [256, 1]),
    shared(kernels::MATMUL7_AHEAD, 128, [8, 8], [256, 1]),
    shared(kernels::MATMUL8_TALL, 128, [16, 8], [128, 1]),
];

/// Two rungs once more, whose sums keep what an addition rounds away: for
/// sums of more than `CHAIN` products.
pub const KAHAN: [Rung; 2] = [
    shared(kernels::MATMUL_TILED_KAHAN, 16, [1, 1], [16, 16]),
    shared(kernels::MATMUL_AHEAD_KAHAN, 128, [8, 8], [256, 1]),
];

/// So many products may be added one after another: each addition rounds by
/// at most 6e-8 of the sum so far, and all of them by less than 1e-5.
const CHAIN: usize = 128;

const fn alone(kernel: Kernel) -> Rung {
    Rung { shares: false, ..shared(kernel, 16, [1, 1], [16, 16]) }
}

const fn shared(
    kernel: Kernel,
    tile: usize,
    block: [usize; 2],
    group: [usize; 2],
) -> Rung {
    Rung { kernel, tile, block, group, rows_first: false, shares: true }
}

impl Rung {
    // ANCHOR: loads
    /// Counts the numbers that are loaded for one element of the result, `k`
    /// long sums: from global memory, and from local memory.
    ///
    /// What a group loads from global memory serves a row or a column of its
    /// tile; what an item loads from local memory serves a row or a column of
    /// the elements that it computes.
    pub fn loads(&self, k: usize) -> [f64; 2] {
        let k = k as f64;
        if !self.shares {
            return [2.0 * k, 0.0];
        }
        let [rows, columns] = self.block.map(|side| side as f64);
        [2.0 * k / self.tile as f64, k / rows + k / columns]
    }
    // ANCHOR_END: loads

    /// Prepares a launch of `(m, k) x (k, n)` on the device of the buffers: as
    /// many groups as tiles cover the result.
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
/// Chooses the rung for `(m, k) x (k, n)` on a device of so many compute
/// units.
///
/// A group keeps one unit busy, and a large tile is one group. On an H200 the
/// top rung leads from a tile for each unit on, if rows are whole fours; the
/// one below it, whose tiles have twice the items, from an eighth of that; and
/// where the result has less to give, small tiles do. That is for up to 128
/// products; longer sums need a rung that keeps what it rounds away.
pub fn choose(units: usize, [m, k, n]: [usize; 3]) -> &'static Rung {
    let [_, _, tiled, .., ahead, tall] = &LADDER;
    let tiles = |rung: &Rung| (m / rung.tile) * (n / rung.tile);
    let (units, fours) = (units.max(1), k % 4 == 0 && n % 4 == 0);
    let (fills, is_long) = (8 * tiles(ahead) >= units, k > CHAIN);
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
/// Multiplies two matrices, `(m, k) x (k, n)`. The caller has compared the
/// shapes.
pub(super) fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let out = a.gpu().allocate((m * n).max(1))?;
    if m * n > 0 {
        let units = a.gpu().info().compute_units as usize;
        let rung = choose(units, [m, k, n]);
        rung.launch(a.buffer(), b.buffer(), &out, [m, k, n]).run()?;
    }
    Ok(Tensor::plain(a.gpu(), &[m, n], out))
}
// ANCHOR_END: product
