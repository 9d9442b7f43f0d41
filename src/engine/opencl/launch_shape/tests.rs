//! The chosen shapes, on both sides of each threshold.

use super::*;

/// A CPU with two cores, and a graphics card.
const TWO: DeviceLimits = DeviceLimits { is_cpu: true, compute_units: 2 };
const CARD: DeviceLimits = DeviceLimits { is_cpu: false, compute_units: 100 };

fn sizes([m, k, n]: [usize; 3], batches: usize) -> Sizes {
    Sizes { m, k, n, batches }
}

#[test]
fn a_longer_row_gets_a_larger_group_except_on_a_cpu() {
    for (k, team) in
        [(0, 1), (16, 1), (17, 8), (128, 8), (129, 32), (2048, 32), (2049, 256)]
    {
        assert_eq!(CARD.items_per_row(k, true), team, "{k}");
        assert_eq!(CARD.items_per_row(k, false), 1, "{k}, and far apart");
        assert_eq!(TWO.items_per_row(k, true), 1, "{k}, on a processor");
    }
}

#[test]
fn a_generated_kernel_reads_long_rows_across() {
    let of = |limits: DeviceLimits, rows, columns, across| {
        let Team { items, rows, across, full } =
            limits.generated_kernel(rows, columns, across);
        assert_eq!(full, limits.compute_units * 2048);
        (items, rows, across)
    };
    assert_eq!(of(CARD, 1000, 64, true), (1, 256, false));
    assert_eq!(of(CARD, 1000, 65, true), (8, 32, true));
    assert_eq!(of(CARD, 1000, 16, false), (1, 256, false));
    assert_eq!(of(CARD, 1000, 2049, false), (256, 1, false));
    // On the card, the next power of two of the number of rows.
    assert_eq!(of(CARD, 5, 65, true), (8, 8, true));
    assert_eq!(of(TWO, 63, 4000, false), (1, 63, true));
    assert_eq!(of(TWO, 65, 4000, false), (1, 64, true));
}

#[test]
fn a_row_group_keeps_a_row_that_fits_its_registers() {
    for columns in [20, 128, 132, 2048, 2052, 16384] {
        assert!(CARD.keeps_row(columns), "{columns}");
        assert!(!TWO.keeps_row(columns), "{columns}, on a processor");
    }
    for columns in [1, 4, 16, 17, 1001, 2047, 16383, 16388] {
        assert!(!CARD.keeps_row(columns), "{columns}");
    }
}

#[test]
fn a_launch_of_row_groups_has_whole_work_groups() {
    assert_eq!(CARD.row_groups(32, 20), [[8, 32], [8, 32]]);
    assert_eq!(CARD.row_groups(33, 20), [[8, 64], [8, 32]]);
    assert_eq!(CARD.row_groups(3, 4000), [[256, 3], [256, 1]]);
    assert_eq!(
        CARD.row_groups(MAX_GROUPS + 1, 4000),
        [[256, MAX_GROUPS], [256, 1]]
    );
    assert_eq!(TWO.row_groups(1000, 20), [[1, 1024], [1, 256]]);
    assert_eq!(CARD.long_row_groups(3, 512), CARD.row_groups(3, 512));
    assert_eq!(TWO.long_row_groups(3, 512), [[256, 3], [256, 1]]);
}

#[test]
fn a_sum_is_split_if_it_is_long_or_compute_units_would_idle() {
    let of = |limits: DeviceLimits, groups, k| {
        limits.parts(groups, 4, k, [MIN_SPLIT_K, MAX_UNSPLIT_K], 64)
    };
    // 400 groups are enough for the card, and 2 for the CPU.
    assert_eq!(of(CARD, 400, 8192), (8192, 1));
    assert_eq!(of(CARD, 399, 8192), (4096, 2));
    assert_eq!(of(CARD, 100, 8192), (2048, 4));
    assert_eq!(of(TWO, 2, 8192), (8192, 1));
    assert_eq!(of(TWO, 1, 8192), (4096, 2));
    // Parts are within the bounds.
    assert_eq!(of(CARD, 1, 511), (512, 1));
    assert_eq!(of(CARD, 1, 512), (256, 2));
    assert_eq!(of(CARD, 400, 8193), (4160, 2));
    assert_eq!(of(TWO, 100, 1 << 16), (8192, 8));
    // Parts are multiples of the step, and none is empty.
    assert_eq!(of(CARD, 1, 10_000), (320, 32));
}

#[test]
fn a_product_of_few_rows_has_an_item_per_column() {
    let cut = |limits: DeviceLimits, of, batches| {
        limits.by_columns(sizes(of, batches))
    };
    let local = [128, 1, 1];
    let found = cut(CARD, [8, 1024, 129], 3);
    let (length, parts) = (256, 4);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [256, 12, 1], local }
    );
    let found = cut(TWO, [8, 1024, 129], 3);
    let (length, parts) = (1024, 1);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [256, 3, 1], local }
    );
    // A compute unit runs 4 groups at a time: 400 are enough, and 399 are not.
    assert_eq!(cut(CARD, [8, 1024, 128 * 400], 1).parts, 1);
    assert_eq!(cut(CARD, [8, 1024, 128 * 399], 1).parts, 2);
    assert_eq!(
        cut(CARD, [8, 16, 128], MAX_ITEMS + 1).global,
        [128, MAX_ITEMS, 1]
    );
}

#[test]
fn a_product_with_long_sums_has_a_group_per_square() {
    let cut = |limits: DeviceLimits, of, batches| {
        limits.by_squares(sizes(of, batches))
    };
    let local = [256, 1, 1];
    let found = cut(CARD, [9, 1 << 20, 8], 1);
    let (length, parts) = (10496, 100);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [256, 2, 100], local }
    );
    let found = cut(TWO, [9, 1 << 20, 24], 1);
    let (length, parts) = (1 << 15, 32);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [768, 2, 32], local }
    );
    // A compute unit runs 2 groups at a time; a part has at least 4096 of k.
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 200).parts, 1);
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 199).parts, 2);
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 1).parts, 4);
    assert_eq!(cut(CARD, [8, (1 << 14) - 1, 8], 1).parts, 3);
    let many = cut(CARD, [16, 16, 8], MAX_ITEMS);
    assert_eq!(many.global, [256, 2, MAX_ITEMS / 2]);
}

/// Promise: A matmul splits its sums when compute units would otherwise be
/// idle.
#[test]
fn sums_are_split_if_compute_units_would_idle() {
    let cut = |limits: DeviceLimits, of, batches, kind| {
        limits.by_tiles(sizes(of, batches), [64, 32], 128, kind)
    };
    let local = [128, 1, 1];
    let found = cut(CARD, [65, 1000, 33], 1, TileKind::Matrices);
    let (length, parts) = (336, 3);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [256, 2, 3], local }
    );
    let found = cut(TWO, [65, 1000, 33], 1, TileKind::Matrices);
    let (length, parts) = (1008, 1);
    assert_eq!(
        found,
        LaunchShape { length, parts, global: [256, 2, 1], local }
    );
    let parts = |groups, kind| cut(CARD, [64, 4096, 32], groups, kind).parts;
    assert_eq!(parts(100, TileKind::Matrices), 1);
    assert_eq!(parts(99, TileKind::Matrices), 2);
    assert_eq!(parts(50, TileKind::Matrices), 2);
    // A compute unit runs 8 groups that read views, and 2 that use tensor
    // cores, but only if there is less than 1 group per unit.
    assert_eq!(parts(100, TileKind::Views), 8);
    assert_eq!(parts(799, TileKind::Views), 2);
    assert_eq!(parts(800, TileKind::Views), 1);
    assert_eq!(parts(100, TileKind::OnCores), 1);
    assert_eq!(parts(50, TileKind::OnCores), 4);
    let many = cut(CARD, [128, 16, 64], MAX_ITEMS, TileKind::Matrices);
    assert_eq!(many.global, [256, 2, MAX_ITEMS / 4]);
}

#[test]
fn a_product_by_one_column_has_a_row_group_per_row() {
    let cut = |limits: DeviceLimits, of, lie| limits.by_rows(sizes(of, 1), lie);
    let found = cut(CARD, [100, 100, 1], true);
    let (local, global) = ([8, 32, 1], [32, 32, 1]);
    assert_eq!(found, LaunchShape { length: 128, parts: 1, global, local });
    let found = cut(CARD, [100, 4000, 1], true);
    let (local, global) = ([256, 1, 1], [51200, 1, 1]);
    assert_eq!(found, LaunchShape { length: 2048, parts: 2, global, local });
    let found = cut(CARD, [100, 4000, 1], false);
    let (local, global) = ([1, 256, 1], [56, 256, 1]);
    assert_eq!(found, LaunchShape { length: 72, parts: 56, global, local });
    let found = cut(TWO, [257, 4000, 1], true);
    let (local, global) = ([1, 256, 1], [2, 256, 1]);
    assert_eq!(found, LaunchShape { length: 4000, parts: 1, global, local });
    // A compute unit runs 8 groups at a time.
    assert_eq!(cut(CARD, [800, 4096, 1], true).parts, 1);
    assert_eq!(cut(CARD, [799, 4096, 1], true).parts, 2);
    let many = CARD.by_rows(sizes([1, 4096, 1], MAX_GROUPS + 1), true);
    assert_eq!(many.global, [MAX_GROUPS * 256, 1, 1]);
    let batches = TWO.by_rows(sizes([257, 100, 1], 3), true);
    assert_eq!(batches.global, [6, 256, 1]);
}

#[test]
fn a_copy_has_a_group_for_each_tile_up_to_a_limit() {
    assert_eq!(copy_groups([1, 1, 1, 1, 1, 1, 32, 32]), 1);
    assert_eq!(copy_groups([1, 1, 1, 1, 1, 5, 33, 65]), 5 * 2 * 3);
    assert_eq!(copy_groups([2, 3, 1, 1, 1, 1, 32, 33]), 12);
    assert_eq!(
        copy_groups([2, 1, 1, 1, 1, MAX_GROUPS as i32, 1, 1]),
        MAX_GROUPS
    );
}

#[test]
fn columns_use_a_group_except_on_a_cpu() {
    assert_eq!(TWO.column_group(), [256, 1]);
    assert_eq!(CARD.column_group(), [8, 32]);
}
