//! What is chosen, on both sides of each border.

use super::*;

/// A processor with two cores, and a graphics card.
const TWO: Units = Units { is_processor: true, count: 2 };
const CARD: Units = Units { is_processor: false, count: 100 };

fn sizes([m, k, n]: [usize; 3], batches: usize) -> Sizes {
    Sizes { m, k, n, batches }
}

#[test]
fn a_longer_row_gets_a_larger_team_and_a_processor_none() {
    for (k, team) in
        [(0, 1), (16, 1), (17, 8), (128, 8), (129, 32), (2048, 32), (2049, 256)]
    {
        assert_eq!(CARD.team(k, true), team, "{k}");
        assert_eq!(CARD.team(k, false), 1, "{k}, and far apart");
        assert_eq!(TWO.team(k, true), 1, "{k}, on a processor");
    }
}

#[test]
fn a_written_kernel_reads_rows_across_where_they_are_long() {
    let of = |units: Units, rows, columns, across| {
        let Team { items, rows, across, full } =
            units.written(rows, columns, across);
        assert_eq!(full, units.count * 2048);
        (items, rows, across)
    };
    assert_eq!(of(CARD, 1000, 64, true), (1, 256, false));
    assert_eq!(of(CARD, 1000, 65, true), (8, 32, true));
    assert_eq!(of(CARD, 1000, 16, false), (1, 256, false));
    assert_eq!(of(CARD, 1000, 2049, false), (256, 1, false));
    // No more rows than there are, but whole powers of two.
    assert_eq!(of(CARD, 5, 65, true), (8, 8, true));
    assert_eq!(of(TWO, 63, 4000, false), (1, 63, true));
    assert_eq!(of(TWO, 65, 4000, false), (1, 64, true));
}

#[test]
fn a_team_keeps_a_row_that_its_registers_hold() {
    for columns in [20, 128, 132, 2048, 2052, 16384] {
        assert!(CARD.keeps(columns), "{columns}");
        assert!(!TWO.keeps(columns), "{columns}, on a processor");
    }
    for columns in [1, 4, 16, 17, 1001, 2047, 16383, 16388] {
        assert!(!CARD.keeps(columns), "{columns}");
    }
}

#[test]
fn a_launch_by_teams_has_whole_groups_and_not_too_many_rows() {
    assert_eq!(CARD.teams(32, 20), [[8, 32], [8, 32]]);
    assert_eq!(CARD.teams(33, 20), [[8, 64], [8, 32]]);
    assert_eq!(CARD.teams(3, 4000), [[256, 3], [256, 1]]);
    assert_eq!(CARD.teams(TEAMS + 1, 4000), [[256, TEAMS], [256, 1]]);
    assert_eq!(TWO.teams(1000, 20), [[1, 1024], [1, 256]]);
    assert_eq!(CARD.along(3, 512), CARD.teams(3, 512));
    assert_eq!(TWO.along(3, 512), [[256, 3], [256, 1]]);
}

#[test]
fn a_sum_has_parts_where_units_would_idle_or_it_would_be_long() {
    let of = |units: Units, groups, k| {
        units.parts(groups, 4, k, [ALONE, LONGEST], 64)
    };
    // 400 groups are enough for the card, and 2 for the processor.
    assert_eq!(of(CARD, 400, 8192), (8192, 1));
    assert_eq!(of(CARD, 399, 8192), (4096, 2));
    assert_eq!(of(CARD, 100, 8192), (2048, 4));
    assert_eq!(of(TWO, 2, 8192), (8192, 1));
    assert_eq!(of(TWO, 1, 8192), (4096, 2));
    // No part is shorter than its least, nor longer than the longest.
    assert_eq!(of(CARD, 1, 511), (512, 1));
    assert_eq!(of(CARD, 1, 512), (256, 2));
    assert_eq!(of(CARD, 400, 8193), (4160, 2));
    assert_eq!(of(TWO, 100, 1 << 16), (8192, 8));
    // A part has whole steps, and none is left empty.
    assert_eq!(of(CARD, 1, 10_000), (320, 32));
}

#[test]
fn few_rows_are_cut_by_columns() {
    let cut = |units: Units, of, batches| units.by_columns(sizes(of, batches));
    let local = [128, 1, 1];
    let found = cut(CARD, [8, 1024, 129], 3);
    let (length, parts) = (256, 4);
    assert_eq!(found, Cut { length, parts, global: [256, 12, 1], local });
    let found = cut(TWO, [8, 1024, 129], 3);
    let (length, parts) = (1024, 1);
    assert_eq!(found, Cut { length, parts, global: [256, 3, 1], local });
    // 100 walls by 4 beside each other are enough, and 99 are not.
    assert_eq!(cut(CARD, [8, 1024, 128 * 400], 1).parts, 1);
    assert_eq!(cut(CARD, [8, 1024, 128 * 399], 1).parts, 2);
    assert_eq!(cut(CARD, [8, 16, 128], ITEMS + 1).global, [128, ITEMS, 1]);
}

#[test]
fn long_sums_are_cut_into_squares() {
    let cut = |units: Units, of, batches| units.by_squares(sizes(of, batches));
    let local = [256, 1, 1];
    let found = cut(CARD, [9, 1 << 20, 8], 1);
    let (length, parts) = (10496, 100);
    assert_eq!(found, Cut { length, parts, global: [256, 2, 100], local });
    let found = cut(TWO, [9, 1 << 20, 24], 1);
    let (length, parts) = (1 << 15, 32);
    assert_eq!(found, Cut { length, parts, global: [768, 2, 32], local });
    // Two squares beside each other in a unit, and 4096 products for a part.
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 200).parts, 1);
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 199).parts, 2);
    assert_eq!(cut(CARD, [8, 1 << 14, 8], 1).parts, 4);
    assert_eq!(cut(CARD, [8, (1 << 14) - 1, 8], 1).parts, 3);
    let many = cut(CARD, [16, 16, 8], ITEMS);
    assert_eq!(many.global, [256, 2, ITEMS / 2]);
}

/// Promise: A matmul splits its sums when compute units would otherwise be
/// idle.
#[test]
fn tiles_share_their_sums_where_units_would_idle() {
    let cut = |units: Units, of, batches, kind| {
        units.by_tiles(sizes(of, batches), [64, 32], 128, kind)
    };
    let local = [128, 1, 1];
    let found = cut(CARD, [65, 1000, 33], 1, TileKind::Matrices);
    let (length, parts) = (336, 3);
    assert_eq!(found, Cut { length, parts, global: [256, 2, 3], local });
    let found = cut(TWO, [65, 1000, 33], 1, TileKind::Matrices);
    let (length, parts) = (1008, 1);
    assert_eq!(found, Cut { length, parts, global: [256, 2, 1], local });
    let parts = |groups, kind| cut(CARD, [64, 4096, 32], groups, kind).parts;
    assert_eq!(parts(100, TileKind::Matrices), 1);
    assert_eq!(parts(99, TileKind::Matrices), 2);
    assert_eq!(parts(50, TileKind::Matrices), 2);
    // Of views a unit has eight groups at a time, and on tensor cores two,
    // but only where there are not enough for one.
    assert_eq!(parts(100, TileKind::Views), 8);
    assert_eq!(parts(799, TileKind::Views), 2);
    assert_eq!(parts(800, TileKind::Views), 1);
    assert_eq!(parts(100, TileKind::OnCores), 1);
    assert_eq!(parts(50, TileKind::OnCores), 4);
    let many = cut(CARD, [128, 16, 64], ITEMS, TileKind::Matrices);
    assert_eq!(many.global, [256, 2, ITEMS / 4]);
}

#[test]
fn a_column_is_multiplied_by_teams() {
    let cut = |units: Units, of, lie| units.by_rows(sizes(of, 1), lie);
    let found = cut(CARD, [100, 100, 1], true);
    let (local, global) = ([8, 32, 1], [32, 32, 1]);
    assert_eq!(found, Cut { length: 128, parts: 1, global, local });
    let found = cut(CARD, [100, 4000, 1], true);
    let (local, global) = ([256, 1, 1], [51200, 1, 1]);
    assert_eq!(found, Cut { length: 2048, parts: 2, global, local });
    let found = cut(CARD, [100, 4000, 1], false);
    let (local, global) = ([1, 256, 1], [56, 256, 1]);
    assert_eq!(found, Cut { length: 72, parts: 56, global, local });
    let found = cut(TWO, [257, 4000, 1], true);
    let (local, global) = ([1, 256, 1], [2, 256, 1]);
    assert_eq!(found, Cut { length: 4000, parts: 1, global, local });
    // Eight groups beside each other in a unit.
    assert_eq!(cut(CARD, [800, 4096, 1], true).parts, 1);
    assert_eq!(cut(CARD, [799, 4096, 1], true).parts, 2);
    let many = CARD.by_rows(sizes([1, 4096, 1], TEAMS + 1), true);
    assert_eq!(many.global, [TEAMS * 256, 1, 1]);
    let batches = TWO.by_rows(sizes([257, 100, 1], 3), true);
    assert_eq!(batches.global, [6, 256, 1]);
}

#[test]
fn a_copy_has_a_group_for_each_tile_and_not_too_many() {
    assert_eq!(copy_groups([1, 1, 1, 1, 1, 1, 32, 32]), 1);
    assert_eq!(copy_groups([1, 1, 1, 1, 1, 5, 33, 65]), 5 * 2 * 3);
    assert_eq!(copy_groups([2, 3, 1, 1, 1, 1, 32, 33]), 12);
    assert_eq!(copy_groups([2, 1, 1, 1, 1, TEAMS as i32, 1, 1]), TEAMS);
}

#[test]
fn a_column_is_shared_but_on_a_processor() {
    assert_eq!(TWO.beside(), [256, 1]);
    assert_eq!(CARD.beside(), [8, 32]);
}
