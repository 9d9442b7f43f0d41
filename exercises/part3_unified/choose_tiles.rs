// choose_tiles: a kernel for each shape.
//
// WHAT   A matrix multiplication (m, k) x (k, n) is computed by work-groups.
//        Each group computes a tile of the result, and possibly only a part of
//        k. Compute how many clock cycles a plan takes, split k into parts,
//        and choose the plan with the fewest cycles.
// WHY    No tile is best for all shapes. A large one needs fewer loads per
//        multiply-add, but a small result has too few large tiles to keep a
//        device busy. Splitting k creates more groups, at the price of a
//        second launch.
// MIND   A tile must fit into local memory, and parts need not be equal.
// READ   A kernel for each shape
// CHECK  cargo learn check choose_tiles

use std::ops::Range;

/// The size of the result that a group computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    pub rows: usize,
    pub columns: usize,
}

/// The tiles for which there are kernels.
pub const TILES: [Tile; 4] = [
    Tile { rows: 128, columns: 128 },
    Tile { rows: 64, columns: 64 },
    Tile { rows: 32, columns: 32 },
    Tile { rows: 16, columns: 16 },
];

/// Maximum number of parts of k. Each part has at least one element.
pub const MOST_PARTS: usize = 64;

/// Clock cycles that each launch costs on the host.
pub const LAUNCH: usize = 4000;

/// The properties of a device.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Number of groups that run at the same time.
    pub units: usize,
    /// Bytes of local memory per group.
    pub local_memory: usize,
}

/// How a multiplication is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub tile: Tile,
    pub parts: usize,
}

/// Returns whether a group has room for its two tiles: 16 elements of 4 bytes
/// for every row and every column.
pub fn fits(tile: Tile, card: Card) -> bool {
    (tile.rows + tile.columns) * 16 * 4 <= card.local_memory
}

/// Returns the clock cycles of a plan for the sizes (m, k, n), by this model:
///
/// There is one group per tile of the result (including partly filled tiles)
/// and part. Each unit runs one group at a time, so the groups run in rounds,
/// and the last round counts as a whole one. A round takes, for each element
/// of k in the largest part, `rows * columns / 128` cycles of multiplications
/// and `(rows + columns) / 16` cycles of loads. If there is more than one
/// part, a second launch reads or writes `m * n * (parts + 1)` elements, 16
/// per unit and cycle, rounded up.
pub fn clocks([m, k, n]: [usize; 3], plan: Plan, card: Card) -> usize {
    let Tile { rows, columns } = plan.tile;
    todo!("TODO(choose_tiles): the number of rounds, and the cycles of each")
}

/// Returns the plan with the fewest cycles among those that fit.
pub fn choose([m, k, n]: [usize; 3], card: Card) -> Plan {
    todo!("TODO(choose_tiles): the best combination of a tile and parts")
}

/// Returns the range of k that belongs to a part, counted from 0. Each index
/// is in exactly one part, and no part is longer than `k / parts`, rounded up.
pub fn part(k: usize, parts: usize, which: usize) -> Range<usize> {
    todo!("TODO(choose_tiles): the first index and the end")
}
