// choose_tiles: a kernel for each shape.
//
// WHAT   A product (m, k) x (k, n) is computed by groups. Each has a tile of
//        the result, and perhaps only a part of k. Say how many clocks a plan
//        takes, cut k into parts, and choose the plan that takes the fewest.
// WHY    No tile is the best for all shapes. A large one loads less for each
//        product, and a small result has too few large tiles to keep a device
//        busy. What is missing then, parts of k make up, at the price of a
//        second launch.
// MIND   A tile must fit into local memory, and parts need not be equal.
// READ   How fast, and why
// CHECK  cargo learn check choose_tiles

use std::ops::Range;

/// The part of the result that a group computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    pub rows: usize,
    pub columns: usize,
}

/// The tiles that there are kernels for.
pub const TILES: [Tile; 4] = [
    Tile { rows: 128, columns: 128 },
    Tile { rows: 64, columns: 64 },
    Tile { rows: 32, columns: 32 },
    Tile { rows: 16, columns: 16 },
];

/// The most parts into which k is cut; and a part has at least one product.
pub const MOST_PARTS: usize = 64;

/// The clocks of the host's order: each launch takes so many.
pub const LAUNCH: usize = 4000;

/// What the device says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Groups that work at the same time.
    pub units: usize,
    /// Bytes of local memory for a group.
    pub local_memory: usize,
}

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub tile: Tile,
    pub parts: usize,
}

/// Says whether a group has room for its two tiles: 16 numbers, of 4 bytes
/// each, for every row and every column.
pub fn fits(tile: Tile, card: Card) -> bool {
    (tile.rows + tile.columns) * 16 * 4 <= card.local_memory
}

/// Counts the clocks of a plan for the sizes (m, k, n), by this model.
///
/// There is a group for each tile of the result, whole or not, and each part.
/// All units work at the same time, a group each; so the groups take turns,
/// and the last turn counts as a whole one. A turn takes, for each number of
/// k that a part has at most, `rows * columns / 128` clocks of products and
/// `(rows + columns) / 16` clocks of loads. With more parts than one there is
/// another launch, which reads or writes `m * n * (parts + 1)` numbers, and
/// all units together do 16 of them for each unit in a clock, the last ones
/// rounded up.
pub fn clocks([m, k, n]: [usize; 3], plan: Plan, card: Card) -> usize {
    let Tile { rows, columns } = plan.tile;
    todo!("TODO(choose_tiles): count the turns, and what each takes")
}

/// Chooses the plan of the fewest clocks among those that fit.
pub fn choose([m, k, n]: [usize; 3], card: Card) -> Plan {
    todo!("TODO(choose_tiles): the best of the tiles and the parts")
}

/// Says which numbers of k a part has, counted from 0: each of them is in one
/// part, and no part has more than `k / parts`, rounded up.
pub fn part(k: usize, parts: usize, which: usize) -> Range<usize> {
    todo!("TODO(choose_tiles): from where to where")
}
