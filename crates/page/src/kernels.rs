//! The kernels of the work-group figures: a tree reduction, a tiled matmul, and
//! a kernel without a guard. All are started by one function, so that the code
//! that runs a group and searches its schedules is compiled only once.

use std::cell::RefCell;

use rungrad::workgroup::{Group, Item, Schedule, Search, Trace};

use crate::guard::{Doubling, N};

/// The work of a group.
pub(crate) enum Kernel<'a> {
    /// Adds these values up in cell 0.
    Tree(&'a [f32], Tree),
    /// Computes one tile of a matmul.
    Tiles(&'a Tiles),
    /// Doubles each element of an array.
    Doubling(&'a Doubling),
}

/// The options of a tree reduction.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tree {
    /// The barriers: after the load, after the `if` in each round, and inside
    /// the `if`.
    pub(crate) load: bool,
    pub(crate) behind: bool,
    pub(crate) inside: bool,
    /// Adds neighbors instead of the upper half to the lower half.
    pub(crate) neighbors: bool,
}

/// A matmul `(n, n) x (n, n)`, and the tile of it that a group computes.
pub(crate) struct Tiles {
    pub(crate) n: usize,
    pub(crate) a: Vec<f32>,
    pub(crate) b: Vec<f32>,
    /// The side of the tile, and its first row and column.
    pub(crate) tile: usize,
    pub(crate) corner: [usize; 2],
    /// The sum of each item, after each step along `k`.
    pub(crate) sums: RefCell<Vec<Vec<f32>>>,
}

/// Runs a group with one schedule.
pub(crate) fn run(group: Group, schedule: Schedule, kernel: &Kernel) -> Trace {
    group.run(schedule, start(kernel))
}

/// Runs a group with every schedule.
pub(crate) fn search(group: Group, kernel: &Kernel) -> Search {
    group.search(start(kernel))
}

fn start(kernel: &Kernel) -> impl AsyncFn(Item) {
    async move |item| match kernel {
        Kernel::Tree(x, how) => tree(item, x, *how).await,
        Kernel::Tiles(tiles) => tile(item, tiles).await,
        Kernel::Doubling(kernel) => double(item, kernel).await,
    }
}

/// Adds as `examples/part2_barrier.rs` does, with optional barriers. Items
/// without an element contribute 0.
async fn tree(item: Item, x: &[f32], how: Tree) {
    let (me, size) = (item.id(), item.size());
    item.write(me, x.get(me).copied().unwrap_or(0.0)).await;
    if how.load {
        item.barrier().await;
    }
    let mut width = size / 2;
    while width > 0 {
        let apart = if how.neighbors { size / 2 / width } else { width };
        let adds = match how.neighbors {
            true => me % (2 * apart) == 0,
            false => me < width,
        };
        if adds {
            let sum = item.read(me).await + item.read(me + apart).await;
            item.write(me, sum).await;
            if how.inside {
                item.barrier().await;
            }
        }
        if how.behind {
            item.barrier().await;
        }
        width /= 2;
    }
}

/// Moves along `k` as rung 3 does, with one item for each element of the tile.
async fn tile(item: Item, tiles: &Tiles) {
    let &Tiles { n, tile, corner: [top, left], .. } = tiles;
    let me = item.id();
    let (row, column) = (me / tile, me % tile);
    let b_tile = tile * tile;
    let mut sum = 0.0;
    for (step, k) in (0..n).step_by(tile).enumerate() {
        item.write(me, tiles.a[(top + row) * n + k + column]).await;
        item.write(b_tile + me, tiles.b[(k + row) * n + left + column]).await;
        item.barrier().await;
        for i in 0..tile {
            let a = item.read(row * tile + i).await;
            sum += a * item.read(b_tile + i * tile + column).await;
        }
        tiles.sums.borrow_mut()[step][me] = sum;
        item.barrier().await;
    }
}

/// Doubles as `past_the_end.cl` does. The last item is the host, which uploads
/// the arrays.
async fn double(item: Item, kernel: &Doubling) {
    let me = item.id();
    if me + 1 == item.size() {
        for (cell, value) in Doubling::uploads() {
            item.write(cell, value).await;
        }
    }
    item.barrier().await;
    if me + 1 == item.size() || (kernel.has_guard() && me >= N) {
        return;
    }
    let value = item.read(me).await;
    item.write(N + me, 2.0 * value).await;
}
