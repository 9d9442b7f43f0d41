//! How work is cut for a device: items for a row, parts of a long sum, groups
//! for all of it. Any cut gives right numbers; these are chosen for speed.

use crate::opencl::{DeviceInfo, Kind, Team};

use super::{GROUP, kernels};

/// So many items are as many as are started: beyond them a group has several
/// tiles.
const ITEMS: usize = 1 << 22;
/// So many teams, or groups, are as many as are started.
const TEAMS: usize = 1 << 20;

/// So many products of an element are at least one part: to share fewer costs
/// more than it saves.
const ALONE: usize = 256;
/// More than so many of them are shared in any case, which keeps what is
/// rounded away small.
const LONGEST: usize = 1 << 13;

/// So many items share a column, of which a group has eight: they are 32 bytes
/// beside each other, which memory hands out at once.
pub(super) const TEAM: usize = 32;

/// What of a device decides.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Units {
    pub(super) is_processor: bool,
    /// So many work at the same time.
    pub(super) count: usize,
}

/// The sizes of a product: (m, k) x (k, n), so many times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) batches: usize,
}

/// A launch that computes a product in parts, which are then added up.
#[derive(Debug, PartialEq)]
pub(super) struct Cut {
    /// How much of `k` a part is.
    pub(super) length: usize,
    pub(super) parts: usize,
    pub(super) global: [usize; 3],
    pub(super) local: [usize; 3],
}

impl Units {
    pub(super) fn of(info: &DeviceInfo) -> Units {
        Units {
            is_processor: info.kind == Kind::Cpu,
            count: info.compute_units.max(1) as usize,
        }
    }

    /// Tells how many items have a row of `k` elements. On a processor one has
    /// it: there a team is a loop with barriers.
    pub(super) fn team(self, k: usize, lie_side_by_side: bool) -> usize {
        match k {
            _ if self.is_processor || !lie_side_by_side => 1,
            0..=16 => 1,
            17..=128 => 8,
            129..=2048 => 32,
            _ => GROUP,
        }
    }

    /// Says how items share rows in a kernel that is written; where neighboring
    /// rows lie side by side, they are read `across`.
    pub(in super::super) fn written(
        self,
        rows: usize,
        columns: usize,
        across: bool,
    ) -> Team {
        // A unit of a card has places for so many items.
        let full = self.count * 2048;
        if self.is_processor {
            return Team { items: 1, rows: 64.min(rows), across: true, full };
        }
        let items = match across {
            true if columns <= 64 => 1,
            true => 8,
            false => self.team(columns, true),
        };
        let rows = (GROUP / items).min(rows.next_power_of_two());
        Team { items, rows, across: across && items > 1, full }
    }

    /// Tells whether such a team is to keep the row in its registers. It would
    /// rather read one twice that is no row of whole fours: on an NVIDIA H200
    /// the logarithms of 131072 x 1001 shares took 0.30 ms so, and 0.53 kept
    /// (driver 580.159.04, November 2026).
    pub(super) fn keeps(self, columns: usize) -> bool {
        let team = self.team(columns, true);
        let is_kept = team > 1 && columns <= kernels::KEPT * team;
        columns.is_multiple_of(4) && is_kept
    }

    /// Returns the sizes of a launch with a team for each row.
    pub(super) fn teams(self, rows: usize, columns: usize) -> [[usize; 2]; 2] {
        groups(self.team(columns, true), rows)
    }

    /// Returns the same for sums along a few rows, or parts of rows, of which a
    /// processor takes a group for each: its threads share groups.
    pub(super) fn along(self, rows: usize, columns: usize) -> [[usize; 2]; 2] {
        match self.is_processor {
            true => groups(GROUP, rows),
            false => self.teams(rows, columns),
        }
    }

    /// Returns how many columns a group has, and how many items share each.
    pub(super) fn beside(self) -> [usize; 2] {
        match self.is_processor {
            true => [GROUP, 1],
            false => [GROUP / TEAM, TEAM],
        }
    }

    /// Computes how much of `k` one of its parts is, in whole steps, not less
    /// than `least` and not more than `longest`, and how many there are: more
    /// than one where `groups` alone, so many beside each other in a unit,
    /// would leave some of the device idle, or where sums would be too long.
    fn parts(
        self,
        groups: usize,
        beside: usize,
        k: usize,
        [least, longest]: [usize; 2],
        step: usize,
    ) -> (usize, usize) {
        // A processor's unit works on one group at a time.
        let beside = if self.is_processor { 1 } else { beside };
        let idle = (self.count * beside).div_ceil(groups).min(k / least);
        let parts = idle.max(k.div_ceil(longest)).max(1);
        let length = k.div_ceil(parts).next_multiple_of(step);
        (length, k.div_ceil(length))
    }

    /// Cuts a product of few rows: an item has a column.
    pub(super) fn by_columns(self, sizes: Sizes) -> Cut {
        let Sizes { k, n, batches, .. } = sizes;
        let walls = n.div_ceil(128);
        let (length, parts) =
            self.parts(walls * batches, 4, k, [ALONE, LONGEST], 64);
        let deep = layers(batches * parts, walls);
        let (global, local) = ([walls * 128, deep, 1], [128, 1, 1]);
        Cut { length, parts, global, local }
    }

    /// Cuts a product of few results with long sums: a group has a square of
    /// them, and its items share `k`.
    pub(super) fn by_squares(self, sizes: Sizes) -> Cut {
        let Sizes { m, k, n, batches } = sizes;
        let [high, wide] = [m, n].map(|lines| lines.div_ceil(8));
        let (all, bounds) = (high * wide, [16 * GROUP, 128 * GROUP]);
        let (length, parts) = self.parts(all * batches, 2, k, bounds, GROUP);
        let deep = layers(batches * parts, all);
        let global = [wide * GROUP, high, deep];
        Cut { length, parts, global, local: [GROUP, 1, 1] }
    }

    /// Cuts a product into tiles: a group of so many items has one.
    pub(super) fn by_tiles(
        self,
        sizes: Sizes,
        [high, wide]: [usize; 2],
        items: usize,
        kind: TileKind,
    ) -> Cut {
        let Sizes { m, k, n, batches } = sizes;
        let [wide, high] = [n.div_ceil(wide), m.div_ceil(high)];
        let all = wide * high * batches;
        let beside = match kind {
            TileKind::Views => 8,
            TileKind::OnCores if all < self.count => 2,
            _ => 1,
        };
        let (length, parts) = self.parts(all, beside, k, [ALONE, LONGEST], 16);
        let deep = layers(batches * parts, wide * high);
        let global = [wide * items, high, deep];
        Cut { length, parts, global, local: [items, 1, 1] }
    }

    /// Cuts a product by one column: rows by teams of items.
    pub(super) fn by_rows(self, sizes: Sizes, lie_side_by_side: bool) -> Cut {
        let Sizes { m, k, batches, .. } = sizes;
        let team = self.team(k, lie_side_by_side);
        let rows = GROUP / team;
        let all = m.div_ceil(rows) * batches;
        let (length, parts) = self.parts(all, 8, k, [64, LONGEST], 8 * team);
        let global = [(all * parts).min(TEAMS) * team, rows, 1];
        Cut { length, parts, global, local: [team, rows, 1] }
    }
}

/// What tiles are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TileKind {
    Matrices,
    Views,
    OnCores,
}

/// Returns the sizes of a launch of teams in groups of 256 items.
fn groups(team: usize, rows: usize) -> [[usize; 2]; 2] {
    let beside = GROUP / team;
    let all = rows.min(TEAMS).next_multiple_of(beside);
    [[team, all], [team, beside]]
}

/// Counts those of all that are started beside so many groups.
fn layers(all: usize, groups: usize) -> usize {
    all.min((ITEMS / groups).max(1))
}

/// Counts the groups of a copy by tiles of 32 x 32, the last two of its axes.
pub(super) fn copy_groups(shape: [i32; 8]) -> usize {
    let [outer @ .., high, wide] = shape.map(|size| size as usize);
    let all = wide.div_ceil(32) * high.div_ceil(32);
    (all * outer.iter().product::<usize>()).min(TEAMS)
}

#[cfg(test)]
mod tests;
