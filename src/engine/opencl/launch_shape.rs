//! Chooses the shape of a launch: how many work-items cooperate on a row, into
//! how many parts a long sum is split, and how many work-groups run.
//!
//! Every shape gives correct results; these are chosen for speed. The simple
//! rule is one work-item per result:
//!
//! ```text
//! out[i] = sum over k of a[row(i), k] * b[k, column(i)]
//! ```
//!
//! Three refinements are applied to it:
//!
//! 1. **Row groups.** Several items share a long row, so that adjacent items
//!    read adjacent addresses.
//! 2. **Split k.** A product with few results and a long `k` would leave most
//!    compute units idle. `k` is split into parts that run at the same time;
//!    a second launch adds them.
//! 3. **Grid stride.** Above [`MAX_ITEMS`] items, each group loops over
//!    several tiles instead of the driver starting more groups.
//!
//! A CPU with an OpenCL driver gets one item per row: there, a group is a
//! loop, and each barrier ends that loop.
//!
//! See docs/benchmarks.md for measurements.

#[cfg(feature = "lazy")]
use crate::engine::lazy::compiler::Team;
use crate::opencl::{DeviceInfo, Kind};

use super::{GROUP_SIZE, kernels};

/// Upper bound on launched work-items; beyond it each group handles several
/// tiles.
const MAX_ITEMS: usize = 1 << 22;
/// Upper bound on launched row groups, or work-groups.
const MAX_GROUPS: usize = 1 << 20;

/// Shortest part of `k`. Splitting further costs more in the second launch
/// than it saves in the first.
const MIN_SPLIT_K: usize = 256;
/// Longer sums are always split, to bound the rounding error.
const MAX_UNSPLIT_K: usize = 1 << 13;

/// Items that share a column. A work-group then has eight adjacent columns,
/// which are 32 bytes: one memory sector.
pub(super) const COLUMN_ITEMS: usize = 32;

/// The device properties that determine the shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits {
    pub(super) is_cpu: bool,
    /// The number of compute units.
    pub(super) compute_units: usize,
}

/// The sizes of a batch of products, (m, k) x (k, n).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) batches: usize,
}

/// The shape of a launch that computes a product in parts of `k`.
#[derive(Debug, PartialEq)]
pub(super) struct LaunchShape {
    /// Length of a part.
    pub(super) length: usize,
    pub(super) parts: usize,
    pub(super) global: [usize; 3],
    pub(super) local: [usize; 3],
}

impl DeviceLimits {
    pub(super) fn new(info: &DeviceInfo) -> DeviceLimits {
        DeviceLimits {
            is_cpu: info.kind == Kind::Cpu,
            compute_units: info.compute_units.max(1) as usize,
        }
    }

    /// Returns how many work-items cooperate on a row of `k` elements.
    ///
    /// Rows that are not contiguous get one item each: adjacent items would
    /// not read adjacent addresses, so sharing a row gains nothing.
    pub(super) fn items_per_row(self, k: usize, is_contiguous: bool) -> usize {
        match k {
            _ if self.is_cpu || !is_contiguous => 1,
            0..=16 => 1,
            17..=128 => 8,
            129..=2048 => 32,
            _ => GROUP_SIZE,
        }
    }

    /// Returns how items share the rows of a generated kernel. With `across`,
    /// adjacent rows begin at adjacent elements, so adjacent items take
    /// adjacent rows.
    #[cfg(feature = "lazy")]
    pub(crate) fn generated_kernel(
        self,
        rows: usize,
        columns: usize,
        across: bool,
    ) -> Team {
        // A compute unit of a card holds up to 2048 items.
        let full = self.compute_units * 2048;
        if self.is_cpu {
            return Team { items: 1, rows: 64.min(rows), across: true, full };
        }
        let items = if !across {
            self.items_per_row(columns, true)
        } else if columns <= 64 {
            1
        } else {
            8
        };
        let rows = (GROUP_SIZE / items).min(rows.next_power_of_two());
        Team { items, rows, across: across && items > 1, full }
    }

    /// Returns whether a row group holds its row in registers between two
    /// passes. Rows whose length is not a multiple of four are read twice
    /// instead, which is faster; see docs/benchmarks.md.
    pub(super) fn keeps_row(self, columns: usize) -> bool {
        let team = self.items_per_row(columns, true);
        let fits = team > 1 && columns <= kernels::KEPT * team;
        columns.is_multiple_of(4) && fits
    }

    /// Returns the global and local size of a launch with a row group for each
    /// row.
    pub(super) fn row_groups(
        self,
        rows: usize,
        columns: usize,
    ) -> [[usize; 2]; 2] {
        groups(self.items_per_row(columns, true), rows)
    }

    /// Returns the global and local size for reducing a few rows, or parts of
    /// rows. A CPU gets a work-group for each, because its threads share
    /// work-groups.
    pub(super) fn long_row_groups(
        self,
        rows: usize,
        columns: usize,
    ) -> [[usize; 2]; 2] {
        if self.is_cpu {
            groups(GROUP_SIZE, rows)
        } else {
            self.row_groups(rows, columns)
        }
    }

    /// Returns the columns of a work-group, and the items that share each.
    pub(super) fn column_group(self) -> [usize; 2] {
        if self.is_cpu {
            [GROUP_SIZE, 1]
        } else {
            [GROUP_SIZE / COLUMN_ITEMS, COLUMN_ITEMS]
        }
    }

    /// Returns the length of the parts of `k` and their number. `k` is split
    /// if `groups` work-groups would leave compute units idle, each of which
    /// runs `beside` groups at the same time, or if it is longer than
    /// `longest`. A part is a multiple of `step` and is not shorter than
    /// `least`.
    fn parts(
        self,
        groups: usize,
        beside: usize,
        k: usize,
        [least, longest]: [usize; 2],
        step: usize,
    ) -> (usize, usize) {
        // A core of a CPU runs one group at a time.
        let beside = if self.is_cpu { 1 } else { beside };
        let idle =
            (self.compute_units * beside).div_ceil(groups).min(k / least);
        let parts = idle.max(k.div_ceil(longest)).max(1);
        let length = k.div_ceil(parts).next_multiple_of(step);
        (length, k.div_ceil(length))
    }

    /// Returns the launch for a product of few rows: one item per column.
    pub(super) fn by_columns(self, sizes: Sizes) -> LaunchShape {
        let Sizes { k, n, batches, .. } = sizes;
        let groups = n.div_ceil(128);
        let bounds = [MIN_SPLIT_K, MAX_UNSPLIT_K];
        let (length, parts) = self.parts(groups * batches, 4, k, bounds, 64);
        let deep = layers(batches * parts, groups);
        let (global, local) = ([groups * 128, deep, 1], [128, 1, 1]);
        LaunchShape { length, parts, global, local }
    }

    /// Returns the launch for a product with few results and a long `k`: a
    /// group computes a square of 8 x 8 results, and its items share `k`.
    pub(super) fn by_squares(self, sizes: Sizes) -> LaunchShape {
        let Sizes { m, k, n, batches } = sizes;
        let [high, wide] = [m, n].map(|lines| lines.div_ceil(8));
        let (all, bounds) = (high * wide, [16 * GROUP_SIZE, 128 * GROUP_SIZE]);
        let (length, parts) =
            self.parts(all * batches, 2, k, bounds, GROUP_SIZE);
        let deep = layers(batches * parts, all);
        let global = [wide * GROUP_SIZE, high, deep];
        LaunchShape { length, parts, global, local: [GROUP_SIZE, 1, 1] }
    }

    /// Returns the launch for a product in tiles: a group of `items` items
    /// computes one.
    pub(super) fn by_tiles(
        self,
        sizes: Sizes,
        [high, wide]: [usize; 2],
        items: usize,
        kind: TileKind,
    ) -> LaunchShape {
        let Sizes { m, k, n, batches } = sizes;
        let [wide, high] = [n.div_ceil(wide), m.div_ceil(high)];
        let all = wide * high * batches;
        let beside = match kind {
            TileKind::Views => 8,
            TileKind::OnCores if all < self.compute_units => 2,
            _ => 1,
        };
        let bounds = [MIN_SPLIT_K, MAX_UNSPLIT_K];
        let (length, parts) = self.parts(all, beside, k, bounds, 16);
        let deep = layers(batches * parts, wide * high);
        let global = [wide * items, high, deep];
        LaunchShape { length, parts, global, local: [items, 1, 1] }
    }

    /// Returns the launch for a product by one column: a row group per row.
    pub(super) fn by_rows(
        self,
        sizes: Sizes,
        is_contiguous: bool,
    ) -> LaunchShape {
        let Sizes { m, k, batches, .. } = sizes;
        let team = self.items_per_row(k, is_contiguous);
        let rows = GROUP_SIZE / team;
        let all = m.div_ceil(rows) * batches;
        let bounds = [64, MAX_UNSPLIT_K];
        let (length, parts) = self.parts(all, 8, k, bounds, 8 * team);
        let global = [(all * parts).min(MAX_GROUPS) * team, rows, 1];
        LaunchShape { length, parts, global, local: [team, rows, 1] }
    }
}

/// How a tile reads its operands and multiplies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TileKind {
    Matrices,
    Views,
    OnCores,
}

/// Returns the global and local size of a launch of row groups, in work-groups
/// of [`GROUP_SIZE`] items.
fn groups(team: usize, rows: usize) -> [[usize; 2]; 2] {
    let beside = GROUP_SIZE / team;
    let all = rows.min(MAX_GROUPS).next_multiple_of(beside);
    [[team, all], [team, beside]]
}

/// Returns how many of `all` layers are launched, if each has `groups` groups.
fn layers(all: usize, groups: usize) -> usize {
    all.min((MAX_ITEMS / groups).max(1))
}

/// Returns the work-groups of a copy by tiles of 32 x 32 along the last two
/// axes.
pub(super) fn copy_groups(shape: [i32; 8]) -> usize {
    let [outer @ .., high, wide] = shape.map(|size| size as usize);
    let all = wide.div_ceil(32) * high.div_ceil(32);
    (all * outer.iter().product::<usize>()).min(MAX_GROUPS)
}

#[cfg(test)]
mod tests;
