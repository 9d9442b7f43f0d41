//! Chooses how a matrix multiplication is divided among threads, caches and
//! registers. The choice affects only speed; it does not change a bit of the
//! result.

use super::MAX_F32_SUM;

/// The largest part, in rows and columns. The packed panels of a larger part
/// would not stay in the caches.
// TODO(perf): measure
const MAX_PART: [usize; 2] = [512, 512];
/// How many parts a thread gets at most. Threads never run at equal speed, so
/// with one part each all would wait for the slowest.
const MAX_PARTS_PER_THREAD: usize = 3;
/// How many multiplications a further part has at least. Dividing a smaller
/// product into more parts than threads would cost too much packing.
const MIN_PART: usize = 1 << 22;
/// Up to this many rows or columns, packing the other operand costs more than
/// a further part saves.
// TODO(perf): measure
const MAX_LINES_TO_SPLIT_K: usize = 16;

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
    /// How many sections of `k` of a part are computed in parallel; more than
    /// one if there are fewer parts than threads.
    pub(super) concurrent_sums: usize,
}

impl Partition {
    /// Divides a product (m, k) x (k, n) among `threads` threads.
    pub(super) fn new([m, n, k]: [usize; 3], threads: usize) -> Partition {
        // With few rows or columns, divide `k` first: every further part would
        // pack the whole other operand again.
        let max_parts = match threads {
            1 => 1,
            _ if m.min(n) <= MAX_LINES_TO_SPLIT_K => {
                threads.div_ceil(k.div_ceil(MAX_F32_SUM))
            }
            _ => (m * n * k / MIN_PART)
                .clamp(threads, MAX_PARTS_PER_THREAD * threads),
        };
        let [height, width] = part_size(m, n, max_parts);
        let parts = m.div_ceil(height) * n.div_ceil(width);
        let concurrent_sums = if parts < threads { 4 * threads } else { 1 };
        Partition { height, width, concurrent_sums }
    }

    /// Returns the heights of the rows of parts and the widths of the columns
    /// of parts.
    pub(super) fn lengths(self, m: usize, n: usize) -> [Vec<usize>; 2] {
        [part_lengths(m, self.height), part_lengths(n, self.width)]
    }
}

/// Divides a length into parts of length `part`; the last may be shorter.
fn part_lengths(length: usize, part: usize) -> Vec<usize> {
    let parts = (0..length).step_by(part);
    parts.map(|from| part.min(length - from)).collect()
}

/// Heights of parts are multiples of the largest tile height.
const ROW_UNIT: usize = 12;
/// Widths of parts are multiples of two of the widest registers.
const COLUMN_UNIT: usize = 32;

/// Chooses the height and width of about `count` parts that minimize the
/// estimated time, including the packing of each part.
fn part_size(m: usize, n: usize, count: usize) -> [usize; 2] {
    // A single row needs no packing.
    if m == 1 {
        return [1, n.div_ceil(count).next_multiple_of(COLUMN_UNIT).min(n)];
    }
    let min_rows = m.div_ceil(MAX_PART[0]);
    let min_columns = n.div_ceil(MAX_PART[1]);
    let sizes = (min_rows..min_rows + count).flat_map(|rows| {
        (min_columns..min_columns + count).map(move |columns| {
            let height = m.div_ceil(rows).next_multiple_of(ROW_UNIT);
            let width = n.div_ceil(columns).next_multiple_of(COLUMN_UNIT);
            [height.min(m), width.min(n)]
        })
    });
    let time = |&[height, width]: &[usize; 2]| {
        let part = height * width + 32 * height + 8 * width;
        (m.div_ceil(height) * n.div_ceil(width)).div_ceil(count) * part
    };
    sizes.min_by_key(time).expect("at least one")
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
    use super::*;

    #[test]
    fn a_thread_gets_several_tasks_of_lines() {
        let tasks = [(100, 1), (100, 3), (1, 3)];
        let lines =
            tasks.map(|(lines, threads)| lines_per_task(lines, threads));
        assert_eq!(lines, [100, 9, 1]);
    }

    #[test]
    fn each_thread_gets_a_few_parts_of_whole_tiles() {
        let cut = |sizes, threads| {
            let Partition { height, width, concurrent_sums } =
                Partition::new(sizes, threads);
            ([height, width], concurrent_sums)
        };
        // One thread: parts that stay in the caches.
        assert_eq!(cut([512, 512, 100], 1), ([512, 512], 1));
        assert_eq!(cut([513, 513, 100], 1), ([264, 288], 1));
        // Four threads: one part each, or up to three of a large product.
        assert_eq!(cut([256, 256, 100], 4), ([132, 128], 1));
        assert_eq!(cut([256, 256, 512], 4), ([36, 256], 1));
        assert_eq!(cut([256, 256, 2000], 4), ([48, 128], 1));
        assert_eq!(cut([64, 1000, 100], 4), ([64, 256], 1));
        // A single row is divided into parts of whole registers.
        assert_eq!(cut([1, 1000, 100], 4), ([1, 256], 1));
        assert_eq!(cut([1, 100, 100], 4), ([1, 32], 1));
        assert_eq!(cut([1, 20, 100], 4), ([1, 20], 16));
        // Few lines, 16, with one to four sections of `k`; 17 are not few.
        assert_eq!(cut([16, 1000, 2048], 4), ([16, 256], 1));
        assert_eq!(cut([16, 1000, 2049], 4), ([16, 512], 16));
        assert_eq!(cut([1000, 16, 4097], 4), ([504, 16], 16));
        assert_eq!(cut([16, 1000, 6145], 4), ([16, 512], 16));
        assert_eq!(cut([17, 1000, 6145], 4), ([17, 96], 1));
    }

    #[test]
    fn the_last_part_has_the_remainder() {
        let part = Partition { height: 48, width: 32, concurrent_sums: 1 };
        assert_eq!(part.lengths(100, 32), [vec![48, 48, 4], vec![32]]);
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
