//! How a product is cut for threads, caches and registers. No cut changes a
//! bit, so it is chosen for speed alone.

use super::LONG;
use crate::base::share;

/// From this many products on the threads share them.
pub(crate) const SHARED: usize = 1 << 19;
/// A part is at most so large, that a block of it stays in the caches.
const MOST: [usize; 2] = [512, 512];
/// So few lines are little work for what must be laid out to multiply them.
const FEW: usize = 16;

/// Counts the threads that share so many products.
pub(super) fn threads(products: usize) -> usize {
    threads_of(products, share::threads)
}

fn threads_of(products: usize, all: impl Fn() -> usize) -> usize {
    match products >= SHARED {
        true => all(),
        false => 1,
    }
}

/// Says whether threads share so many products. A single one would have to be
/// woken for what the caller can do itself.
#[cfg(feature = "opencl")]
pub(crate) fn is_shared(products: usize) -> bool {
    threads(products) > 1
}

/// Says how many lines by a column a thread takes at a time.
pub(super) fn piece(lines: usize, threads: usize) -> usize {
    match threads {
        1 => lines,
        _ => lines.div_ceil(4 * threads),
    }
}

/// A product in parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// The rows of a part.
    pub(super) high: usize,
    /// Its columns.
    pub(super) wide: usize,
    /// Whether threads share the parts.
    pub(super) is_shared: bool,
    /// How many of its long sums are computed at once: more than one where
    /// there are fewer parts than threads.
    pub(super) at_once: usize,
}

impl Cut {
    /// Cuts a product (m, k) x (k, n) for so many threads.
    pub(super) fn new([m, n, k]: [usize; 3], threads: usize) -> Cut {
        // Few lines are cut along `k` first: each part along them would lay
        // out all of the other side again.
        let ways = match m.min(n) <= FEW {
            true => threads.div_ceil(k.div_ceil(LONG)),
            false => threads,
        };
        let [high, wide] = part(m, n, ways);
        let parts = m.div_ceil(high) * n.div_ceil(wide);
        let at_once = if parts < threads { 4 * threads } else { 1 };
        Cut { high, wide, is_shared: threads > 1 && parts > 1, at_once }
    }

    /// Lists how many rows the parts have, and how many columns.
    pub(super) fn lengths(self, m: usize, n: usize) -> [Vec<usize>; 2] {
        let Cut { high, wide, is_shared, at_once } = self;
        // Parts that are cut both ways have more to lay out as it is.
        let ends = |is_whole| is_shared && at_once == 1 && is_whole;
        [
            pieces(m, high, STRIP, ends(wide >= n)),
            pieces(n, wide, WIDE, ends(high >= m)),
        ]
    }
}

/// Pieces have whole strips of rows, and whole registers of columns.
const STRIP: usize = 12;
const WIDE: usize = 32;

/// Cuts a length into parts. Where it `ends` in small ones, each is an eighth
/// shorter, and what is left is for the threads that are done first: as they
/// never run evenly, the last of equal parts would let the others wait.
fn pieces(length: usize, part: usize, unit: usize, ends: bool) -> Vec<usize> {
    let large = (part / 8 * 7).next_multiple_of(unit).min(part);
    let small = (part / 8).next_multiple_of(unit);
    let ends = ends && 4 * small < large;
    let parts = length.div_ceil(part);
    let mut pieces = vec![];
    let mut rest = length;
    while rest > 0 {
        let most = match (ends, pieces.len() < parts) {
            (false, _) => part,
            (true, true) => large,
            (true, false) => small,
        };
        pieces.push(most.min(rest));
        rest -= most.min(rest);
    }
    pieces
}

/// Says how large parts are: such that the threads have as little to do, one
/// after another, as can be. What is packed for a part counts as well.
fn part(m: usize, n: usize, threads: usize) -> [usize; 2] {
    // Of a single row nothing is packed.
    if m == 1 {
        return [1, n.div_ceil(threads).next_multiple_of(32).min(n)];
    }
    let [high, wide] = [m.div_ceil(MOST[0]), n.div_ceil(MOST[1])];
    let parts = (high..high + threads)
        .flat_map(|high| (wide..wide + threads).map(move |wide| [high, wide]));
    let time = |&[r, c]: &[usize; 2]| {
        let [high, wide] = [m.div_ceil(r), n.div_ceil(c)];
        let part = high * wide + 32 * high + 8 * wide;
        (r * c).div_ceil(threads) * part
    };
    let [r, c] = parts.min_by_key(time).expect("at least one");
    // A width of whole registers, as far as there is one.
    [m.div_ceil(r), n.div_ceil(c).next_multiple_of(32).min(n)]
}

/// Rows that so few tiles beside each other read are not worth being laid out.
const TILES: usize = 8;

/// Says whether rows, in so many pieces each, are read where they lie.
pub(super) fn is_read(tiles: usize, pieces: usize) -> bool {
    tiles <= TILES && pieces == 1
}

/// How registers are filled.
#[derive(Debug, PartialEq)]
pub(super) struct Filling {
    /// The rows of a tile.
    pub(super) height: usize,
    /// Whether a tile is two registers wide, and not one.
    pub(super) is_double: bool,
    /// Whether the columns are read where they lie.
    pub(super) is_direct: bool,
}

/// The heights that tiles are compiled for, those behind 6 for many registers.
const HEIGHTS: [usize; 6] = [1, 2, 4, 6, 8, 12];
pub(super) const MANY: usize = 32;

impl Filling {
    /// Chooses for m by n lines, the n in so many rows of neighbors.
    #[inline(always)]
    pub(super) fn new(
        [m, n]: [usize; 2],
        rows: usize,
        registers: usize,
        lanes: usize,
    ) -> Filling {
        let most = if registers < MANY { 6 } else { 12 };
        let strips = m.div_ceil(most);
        let height = m.div_ceil(strips);
        let height = HEIGHTS.into_iter().find(|&it| it >= height);
        let height = height.expect("at most 12");
        // What is read once or twice, and lies in a row, is not laid out.
        let run = n / rows;
        let is_direct = strips <= 2 && 2 * run >= lanes;
        let run = if is_direct { run } else { n };
        Filling { height, is_double: run > lanes, is_direct }
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn threads_share_what_is_large_enough() {
        assert_eq!(threads_of(SHARED - 1, || 4), 1);
        assert_eq!(threads_of(SHARED, || 4), 4);
        for count in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let found = pool.unwrap().install(|| threads(SHARED));
            assert_eq!(found, count);
        }
        assert_eq!([piece(100, 1), piece(100, 3), piece(1, 3)], [100, 9, 1]);
    }

    #[cfg(feature = "opencl")]
    #[test]
    fn one_thread_shares_nothing() {
        for (count, shared) in [(1, false), (2, true)] {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let found = pool.unwrap().install(|| is_shared(SHARED));
            assert_eq!(found, shared, "{count}");
        }
    }

    #[test]
    fn each_thread_gets_a_part_and_few_lines_are_cut_along_k() {
        let cut = |sizes, threads| {
            let Cut { high, wide, is_shared, at_once } =
                Cut::new(sizes, threads);
            ([high, wide], is_shared, at_once)
        };
        // One thread: parts that stay in the caches.
        assert_eq!(cut([512, 512, 100], 1), ([512, 512], false, 1));
        assert_eq!(cut([513, 513, 100], 1), ([257, 288], false, 1));
        // Four: a part for each, in whole registers.
        assert_eq!(cut([256, 256, 100], 4), ([64, 256], true, 1));
        assert_eq!(cut([64, 1000, 100], 4), ([64, 256], true, 1));
        // A row is cut into pieces of whole registers.
        assert_eq!(cut([1, 1000, 100], 4), ([1, 256], true, 1));
        assert_eq!(cut([1, 100, 100], 4), ([1, 32], true, 1));
        assert_eq!(cut([1, 20, 100], 4), ([1, 20], false, 16));
        // Few lines: 16, and two, three and four long sums.
        assert_eq!(cut([16, 1000, 2048], 4), ([16, 256], true, 1));
        assert_eq!(cut([16, 1000, 2049], 4), ([16, 512], true, 16));
        assert_eq!(cut([1000, 16, 4097], 4), ([500, 16], true, 16));
        assert_eq!(cut([16, 1000, 6145], 4), ([16, 512], true, 16));
        assert_eq!(cut([17, 1000, 6145], 4), ([17, 256], true, 1));
    }

    #[test]
    fn threads_get_large_parts_and_then_small_ones() {
        let lengths = |sizes: [usize; 3], threads| {
            Cut::new(sizes, threads).lengths(sizes[0], sizes[1])
        };
        let rows = lengths([768, 384, 128], 2);
        assert_eq!(rows, [vec![336, 336, 48, 48], vec![384]]);
        let columns = lengths([128, 512, 768], 2);
        assert_eq!(columns, [vec![128], vec![224, 224, 32, 32]]);
        // One thread has nobody to wait for, and neither is there another
        // part where few lines are cut along `k`.
        assert_eq!(lengths([513, 513, 100], 1), [[257, 256], [288, 225]]);
        assert_eq!(lengths([16, 1000, 6145], 4), [vec![16], vec![512, 488]]);
        // Both ways, and too short for small ones.
        let both = lengths([1024, 1024, 128], 4);
        assert_eq!(both, [[512, 512], [512, 512]]);
        let short = lengths([64, 192, 1024], 2);
        assert_eq!(short, [vec![32, 32], vec![192]]);
    }

    #[test]
    fn rows_are_laid_out_for_many_tiles_and_where_they_are_in_pieces() {
        assert!(is_read(TILES, 1) && is_read(1, 1));
        assert!(!is_read(TILES + 1, 1) && !is_read(TILES, 2));
    }

    #[test]
    fn a_tile_has_as_many_rows_as_registers_hold_sums_of() {
        let of = |lines, rows, registers, lanes| {
            let Filling { height, is_double, is_direct } =
                Filling::new(lines, rows, registers, lanes);
            (height, is_double, is_direct)
        };
        let heights = |registers| {
            [1, 2, 3, 5, 7, 9, 12, 13, 26, 37]
                .map(|m| of([m, 64], 1, registers, 8).0)
        };
        assert_eq!(heights(32), [1, 2, 4, 6, 8, 12, 12, 8, 12, 12]);
        assert_eq!(heights(31), [1, 2, 4, 6, 4, 6, 6, 6, 6, 6]);
        // Up to two strips read in place what lies in rows of half a register.
        assert_eq!(of([24, 64], 1, 32, 16), (12, true, true));
        assert_eq!(of([25, 64], 1, 32, 16), (12, true, false));
        assert_eq!(of([4, 64], 8, 32, 16), (4, false, true));
        assert_eq!(of([4, 64], 9, 32, 16), (4, true, false));
        // More than one register of columns is two.
        assert_eq!(of([4, 16], 1, 32, 16), (4, false, true));
        assert_eq!(of([4, 17], 1, 32, 16), (4, true, true));
        assert_eq!(of([4, 32], 2, 32, 16), (4, false, true));
    }
}
