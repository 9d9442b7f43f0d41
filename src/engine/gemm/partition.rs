//! Chooses how a matrix multiplication is divided among threads, caches and
//! registers. The choice affects only speed; it does not change a bit of the
//! result.

use super::MAX_F32_SUM;

/// The smallest number of multiplications that is divided among threads.
// TODO(perf): measure
pub(crate) const MIN_PARALLEL: usize = 1 << 19;
/// The largest part, in rows and columns. The packed panels of a larger part
/// would not stay in the caches.
// TODO(perf): measure
const MAX_PART: [usize; 2] = [512, 512];
/// Up to this many rows or columns, packing the other operand costs more than
/// a further part saves.
// TODO(perf): measure
const MAX_LINES_TO_SPLIT_K: usize = 16;

/// Returns the number of threads for this many multiplications.
pub(super) fn threads(products: usize) -> usize {
    threads_for(products, super::super::threads::threads)
}

fn threads_for(products: usize, all: impl Fn() -> usize) -> usize {
    if products >= MIN_PARALLEL { all() } else { 1 }
}

/// Returns whether this many multiplications are divided among threads. With
/// one thread they are not: waking it gains nothing over running in the
/// caller.
pub(crate) fn is_parallel_product(products: usize) -> bool {
    threads(products) > 1
}

/// Returns the number of rows per task of a matrix-vector product: four tasks
/// per thread, to balance the load.
pub(super) fn lines_per_task(lines: usize, threads: usize) -> usize {
    match threads {
        1 => lines,
        _ => lines.div_ceil(4 * threads),
    }
}

/// How the result is divided into parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Partition {
    /// The rows of a part.
    pub(super) height: usize,
    /// The columns of a part.
    pub(super) width: usize,
    /// Whether threads compute the parts in parallel.
    pub(super) is_parallel: bool,
    /// How many sections of `k` of a part are computed in parallel; more than
    /// one if there are fewer parts than threads.
    pub(super) concurrent_sums: usize,
}

impl Partition {
    /// Divides a product (m, k) x (k, n) among `threads` threads.
    pub(super) fn new([m, n, k]: [usize; 3], threads: usize) -> Partition {
        // With few rows or columns, divide `k` first: every further part would
        // pack the whole other operand again.
        let max_parts = if m.min(n) <= MAX_LINES_TO_SPLIT_K {
            threads.div_ceil(k.div_ceil(MAX_F32_SUM))
        } else {
            threads
        };
        let [height, width] = part_size(m, n, max_parts);
        let parts = m.div_ceil(height) * n.div_ceil(width);
        let concurrent_sums = if parts < threads { 4 * threads } else { 1 };
        let is_parallel = threads > 1 && parts > 1;
        Partition { height, width, is_parallel, concurrent_sums }
    }

    /// Returns the heights of the rows of parts and the widths of the columns
    /// of parts.
    pub(super) fn lengths(self, m: usize, n: usize) -> [Vec<usize>; 2] {
        let Partition { height, width, is_parallel, concurrent_sums } = self;
        // Small parts at the end only if the other dimension is not divided:
        // otherwise they would cost too much packing.
        let is_tapered = |other_is_whole| {
            is_parallel && concurrent_sums == 1 && other_is_whole
        };
        [
            part_lengths(m, height, ROW_UNIT, is_tapered(width >= n)),
            part_lengths(n, width, COLUMN_UNIT, is_tapered(height >= m)),
        ]
    }
}

/// Heights of parts are multiples of the largest tile height.
const ROW_UNIT: usize = 12;
/// Widths of parts are multiples of two of the widest registers.
const COLUMN_UNIT: usize = 32;

/// Divides a length into parts of length `part`. If it `is_tapered`, the parts
/// are an eighth shorter and the remainder is divided into small parts for the
/// threads that finish first. Threads never run at equal speed, so with equal
/// parts all would wait for the slowest.
fn part_lengths(
    length: usize,
    part: usize,
    unit: usize,
    is_tapered: bool,
) -> Vec<usize> {
    let large = (part / 8 * 7).next_multiple_of(unit).min(part);
    let small = (part / 8).next_multiple_of(unit);
    let is_tapered = is_tapered && 4 * small < large;
    let parts = length.div_ceil(part);
    let mut lengths = vec![];
    let mut rest = length;
    while rest > 0 {
        let max = match (is_tapered, lengths.len() < parts) {
            (false, _) => part,
            (true, true) => large,
            (true, false) => small,
        };
        lengths.push(max.min(rest));
        rest -= max.min(rest);
    }
    lengths
}

/// Chooses the height and width of parts that minimize the estimated time of
/// the slowest thread, including the packing of each part.
fn part_size(m: usize, n: usize, threads: usize) -> [usize; 2] {
    // A single row needs no packing.
    if m == 1 {
        return [1, n.div_ceil(threads).next_multiple_of(32).min(n)];
    }
    let min_rows = m.div_ceil(MAX_PART[0]);
    let min_columns = n.div_ceil(MAX_PART[1]);
    let grids = (min_rows..min_rows + threads).flat_map(|rows| {
        (min_columns..min_columns + threads).map(move |columns| [rows, columns])
    });
    let time = |&[rows, columns]: &[usize; 2]| {
        let [height, width] = [m.div_ceil(rows), n.div_ceil(columns)];
        let part = height * width + 32 * height + 8 * width;
        (rows * columns).div_ceil(threads) * part
    };
    let [rows, columns] = grids.min_by_key(time).expect("at least one");
    // Round the width up to whole registers.
    let width = n.div_ceil(columns).next_multiple_of(32).min(n);
    [m.div_ceil(rows), width]
}

/// Rows that at most this many column tiles read are not worth packing.
// TODO(perf): measure
const MAX_UNPACKED_TILES: usize = 8;

/// Returns whether rows are read in place: they must be contiguous, a single
/// run, and read by few column tiles.
pub(super) fn reads_in_place(tiles: usize, runs: usize) -> bool {
    tiles <= MAX_UNPACKED_TILES && runs == 1
}

/// The shape of a register tile.
#[derive(Debug, PartialEq)]
pub(super) struct TileShape {
    /// The rows of a tile.
    pub(super) height: usize,
    /// Whether a tile is two registers wide instead of one.
    pub(super) is_double: bool,
    /// Whether the columns are read in place instead of packed.
    pub(super) is_direct: bool,
}

/// The tile heights that are compiled; those above 6 need `MANY_REGISTERS`.
const TILE_HEIGHTS: [usize; 6] = [1, 2, 4, 6, 8, 12];
/// From this many SIMD registers on, a tile has up to 12 rows.
pub(super) const MANY_REGISTERS: usize = 32;

impl TileShape {
    /// Chooses the shape for m rows and n columns, which form `runs` runs of
    /// consecutive offsets.
    #[inline(always)]
    pub(super) fn new(
        [m, n]: [usize; 2],
        runs: usize,
        registers: usize,
        lanes: usize,
    ) -> TileShape {
        let max_height = if registers < MANY_REGISTERS { 6 } else { 12 };
        let strips = m.div_ceil(max_height);
        let min_height = m.div_ceil(strips);
        let height = TILE_HEIGHTS.into_iter().find(|&h| h >= min_height);
        let height = height.expect("at most 12");
        // Packing does not pay for columns that are read at most twice, if
        // their runs are long enough to load directly.
        let run = n / runs;
        let is_direct = strips <= 2 && 2 * run >= lanes;
        let run = if is_direct { run } else { n };
        TileShape { height, is_double: run > lanes, is_direct }
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn large_products_use_all_threads() {
        assert_eq!(threads_for(MIN_PARALLEL - 1, || 4), 1);
        assert_eq!(threads_for(MIN_PARALLEL, || 4), 4);
        for count in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let found = pool.unwrap().install(|| threads(MIN_PARALLEL));
            assert_eq!(found, count);
        }
        assert_eq!(
            [
                lines_per_task(100, 1),
                lines_per_task(100, 3),
                lines_per_task(1, 3)
            ],
            [100, 9, 1]
        );
    }

    #[test]
    fn one_thread_does_not_split_the_work() {
        for (count, shared) in [(1, false), (2, true)] {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let found =
                pool.unwrap().install(|| is_parallel_product(MIN_PARALLEL));
            assert_eq!(found, shared, "{count}");
        }
    }

    #[test]
    fn work_is_split_per_thread_and_short_sides_along_k() {
        let cut = |sizes, threads| {
            let Partition { height, width, is_parallel, concurrent_sums } =
                Partition::new(sizes, threads);
            ([height, width], is_parallel, concurrent_sums)
        };
        // One thread: parts that stay in the caches.
        assert_eq!(cut([512, 512, 100], 1), ([512, 512], false, 1));
        assert_eq!(cut([513, 513, 100], 1), ([257, 288], false, 1));
        // Four threads: one part each, in whole registers.
        assert_eq!(cut([256, 256, 100], 4), ([64, 256], true, 1));
        assert_eq!(cut([64, 1000, 100], 4), ([64, 256], true, 1));
        // A single row is divided into parts of whole registers.
        assert_eq!(cut([1, 1000, 100], 4), ([1, 256], true, 1));
        assert_eq!(cut([1, 100, 100], 4), ([1, 32], true, 1));
        assert_eq!(cut([1, 20, 100], 4), ([1, 20], false, 16));
        // Few lines, 16, with one to four sections of `k`; 17 are not few.
        assert_eq!(cut([16, 1000, 2048], 4), ([16, 256], true, 1));
        assert_eq!(cut([16, 1000, 2049], 4), ([16, 512], true, 16));
        assert_eq!(cut([1000, 16, 4097], 4), ([500, 16], true, 16));
        assert_eq!(cut([16, 1000, 6145], 4), ([16, 512], true, 16));
        assert_eq!(cut([17, 1000, 6145], 4), ([17, 256], true, 1));
    }

    #[test]
    fn threads_get_large_parts_first() {
        let lengths = |sizes: [usize; 3], threads| {
            Partition::new(sizes, threads).lengths(sizes[0], sizes[1])
        };
        let rows = lengths([768, 384, 128], 2);
        assert_eq!(rows, [vec![336, 336, 48, 48], vec![384]]);
        let columns = lengths([128, 512, 768], 2);
        assert_eq!(columns, [vec![128], vec![224, 224, 32, 32]]);
        // Equal parts for a single thread, and if `k` is divided.
        assert_eq!(lengths([513, 513, 100], 1), [[257, 256], [288, 225]]);
        assert_eq!(lengths([16, 1000, 6145], 4), [vec![16], vec![512, 488]]);
        // Equal parts if both dimensions are divided, or if small parts would
        // be shorter than a unit.
        let both = lengths([1024, 1024, 128], 4);
        assert_eq!(both, [[512, 512], [512, 512]]);
        let short = lengths([64, 192, 1024], 2);
        assert_eq!(short, [vec![32, 32], vec![192]]);
    }

    #[test]
    fn rows_are_packed_for_many_tiles_or_if_noncontiguous() {
        assert!(reads_in_place(MAX_UNPACKED_TILES, 1) && reads_in_place(1, 1));
        assert!(
            !reads_in_place(MAX_UNPACKED_TILES + 1, 1)
                && !reads_in_place(MAX_UNPACKED_TILES, 2)
        );
    }

    #[test]
    fn tile_height_follows_the_register_count() {
        let shape_of = |lines, rows, registers, lanes| {
            let TileShape { height, is_double, is_direct } =
                TileShape::new(lines, rows, registers, lanes);
            (height, is_double, is_direct)
        };
        let heights = |registers| {
            [1, 2, 3, 5, 7, 9, 12, 13, 26, 37]
                .map(|m| shape_of([m, 64], 1, registers, 8).0)
        };
        assert_eq!(heights(32), [1, 2, 4, 6, 8, 12, 12, 8, 12, 12]);
        assert_eq!(heights(31), [1, 2, 4, 6, 4, 6, 6, 6, 6, 6]);
        // With up to two strips, runs of at least half a register are read in
        // place.
        assert_eq!(shape_of([24, 64], 1, 32, 16), (12, true, true));
        assert_eq!(shape_of([25, 64], 1, 32, 16), (12, true, false));
        assert_eq!(shape_of([4, 64], 8, 32, 16), (4, false, true));
        assert_eq!(shape_of([4, 64], 9, 32, 16), (4, true, false));
        // More columns than one register holds: two registers.
        assert_eq!(shape_of([4, 16], 1, 32, 16), (4, false, true));
        assert_eq!(shape_of([4, 17], 1, 32, 16), (4, true, true));
        assert_eq!(shape_of([4, 32], 2, 32, 16), (4, false, true));
    }
}
