//! Counts the costs of an access by a warp: sectors and cache lines of global
//! memory, and wavefronts of local memory.

use std::collections::BTreeSet;

use crate::record::{Access, Kind, Launch, Moment};
use crate::{BANKS, SECTOR};

impl Moment {
    /// Returns the number of active items.
    pub fn lanes(&self) -> u64 {
        self.offsets.iter().flatten().count() as u64
    }

    /// Returns the number of segments of `part` bytes, such as sectors or
    /// cache lines, that the access touches.
    pub fn parts(&self, bytes: u64, part: u64) -> u64 {
        let held = |offset: &u64| offset / part..=(offset + bytes - 1) / part;
        let parts: BTreeSet<u64> =
            self.offsets.iter().flatten().flat_map(held).collect();
        parts.len() as u64
    }

    /// Returns the number of segments that the same bytes would need if they
    /// were contiguous and aligned.
    pub fn least(&self, bytes: u64, part: u64) -> u64 {
        let held = |offset: &u64| *offset..offset + bytes;
        let touched: BTreeSet<u64> =
            self.offsets.iter().flatten().flat_map(held).collect();
        (touched.len() as u64).div_ceil(part)
    }

    /// Returns the number of wavefronts of local memory, and the number
    /// without bank conflicts. A bank delivers one word of 4 bytes in a
    /// wavefront, to any number of items. If items access 8 bytes, a wavefront
    /// serves half of the warp, and with 16 bytes a quarter.
    pub fn wavefronts(&self, bytes: u64) -> [u64; 2] {
        let share = self.offsets.len() / (bytes / 4).clamp(1, 4) as usize;
        let (mut wavefronts, mut least) = (0, 0);
        for turn in self.offsets.chunks(share.max(1)) {
            let words = |offset: &u64| offset / 4..=(offset + bytes - 1) / 4;
            let words: BTreeSet<u64> =
                turn.iter().flatten().flat_map(words).collect();
            let in_bank = |bank| {
                words.iter().filter(|&word| word % BANKS == bank).count()
            };
            let most = (0..BANKS).map(in_bank).max().unwrap_or(0);
            wavefronts += most as u64;
            least += (words.len() as u64).div_ceil(BANKS);
        }
        [wavefronts, least]
    }
}

impl Access {
    /// Returns how often a warp executed the access.
    pub fn times(&self) -> u64 {
        self.total(|_| 1)
    }

    /// Returns the sum of a count over all executions.
    pub fn total(&self, of: impl Fn(&Moment) -> u64) -> u64 {
        self.moments.iter().map(|moment| moment.times * of(moment)).sum()
    }

    /// Returns the number of touched segments of global memory, and the
    /// minimum for the same bytes.
    pub fn parts(&self, part: u64) -> [u64; 2] {
        [
            self.total(|moment| moment.parts(self.bytes, part)),
            self.total(|moment| moment.least(self.bytes, part)),
        ]
    }

    /// Returns the number of wavefronts, and the minimum without bank
    /// conflicts.
    pub fn wavefronts(&self) -> [u64; 2] {
        [0, 1].map(|at| self.total(|moment| moment.wavefronts(self.bytes)[at]))
    }

    /// Returns the number of bank conflicts: the wavefronts above the minimum.
    pub fn conflicts(&self) -> u64 {
        let [wavefronts, least] = self.wavefronts();
        wavefronts - least
    }

    /// Returns the number of 4-byte elements that the items move.
    pub fn numbers(&self) -> u64 {
        self.total(Moment::lanes) * self.bytes.div_ceil(4)
    }

    /// Returns the most expensive moment. Of equal ones, it is the most
    /// frequent.
    pub fn worst(&self) -> &Moment {
        let cost = |moment: &&Moment| match self.is_local {
            true => (moment.wavefronts(self.bytes)[0], moment.times),
            false => (moment.parts(self.bytes, SECTOR), moment.times),
        };
        self.moments
            .iter()
            .max_by_key(cost)
            .expect("a recorded access was executed")
    }
}

/// LLVM's opcodes for floating-point arithmetic.
const ADD_OR_SUBTRACT: [&str; 3] = ["9", "11", "66"];
const MULTIPLY: &str = "13";
const DIVIDE: [&str; 2] = ["16", "19"];
/// Opcodes for private variables, addresses and names, which are not counted.
const UNCOUNTED: [&str; 5] = ["26", "29", "41", "49", "60"];

/// The arithmetic of all items.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Arithmetic {
    /// Multiplications, including those of fused multiply-adds.
    pub(crate) multiplications: u64,
    /// Additions and subtractions, including those of fused multiply-adds.
    pub(crate) additions: u64,
    /// Divisions, and functions such as `exp`.
    pub(crate) functions: u64,
    /// Other instructions: indices, comparisons, branches.
    pub(crate) others: u64,
}

impl Arithmetic {
    /// Returns the number of floating-point operations, as on a data sheet.
    pub(crate) fn operations(&self) -> u64 {
        self.multiplications + self.additions + self.functions
    }
}

/// Parts of the names of fused multiply-adds, and of functions that do not
/// count as arithmetic: queries of the work-item, barriers, vector loads and
/// stores, and LLVM's intrinsics.
const FUSED: [&str; 3] = ["fmuladd", "Z3fma", "Z3mad"];
const NOT_ARITHMETIC: [&str; 5] =
    ["get_", "barrier", "llvm.", "vload", "vstore"];

impl Launch {
    /// Returns a line of the source, or an empty string if it was not
    /// executed.
    pub fn text(&self, line: usize) -> &str {
        self.lines.get(&line).map_or("", |work| &work.text)
    }

    /// Returns the arithmetic of all items.
    pub(crate) fn arithmetic(&self) -> Arithmetic {
        let mut all = Arithmetic::default();
        for operation in &self.operations {
            let name = operation.name.as_str();
            let numbers = operation.times * operation.width;
            let is = |words: &[&str]| words.iter().any(|it| name.contains(it));
            let is_code = name.bytes().all(|byte| byte.is_ascii_digit());
            if is(&FUSED) {
                all.multiplications += numbers;
                all.additions += numbers;
            } else if name == MULTIPLY {
                all.multiplications += numbers;
            } else if ADD_OR_SUBTRACT.contains(&name) {
                all.additions += numbers;
            } else if DIVIDE.contains(&name) {
                all.functions += numbers;
            } else if is_code && !UNCOUNTED.contains(&name) {
                all.others += operation.times;
            } else if name.starts_with("_Z") && !is(&NOT_ARITHMETIC) {
                all.functions += numbers;
            }
        }
        all
    }

    /// Returns the number of elements written to global memory. If a kernel
    /// writes each element once, this is the size of its result.
    pub fn elements(&self) -> u64 {
        let accesses = self.accesses.iter();
        accesses
            .filter(|it| !it.is_local && it.kind != Kind::Load)
            .map(Access::numbers)
            .sum()
    }

    /// Returns the number of elements loaded from local or from global memory.
    pub fn loads(&self, is_local: bool) -> u64 {
        let accesses = self.accesses.iter();
        accesses
            .filter(|it| it.is_local == is_local && it.kind != Kind::Store)
            .map(Access::numbers)
            .sum()
    }

    /// Returns the number of bytes in all requested sectors, without any
    /// caching.
    pub fn asked(&self) -> u64 {
        let global = self.accesses.iter().filter(|it| !it.is_local);
        global.map(|it| it.parts(SECTOR)[0] * SECTOR).sum()
    }

    /// Returns the number of work-groups.
    pub fn groups(&self) -> u64 {
        let along = |d: usize| self.global[d].div_ceil(self.group[d].max(1));
        (along(0) * along(1) * along(2)) as u64
    }

    /// Returns the number of items of a work-group.
    pub fn items(&self) -> u64 {
        self.group.iter().product::<usize>() as u64
    }

    /// Returns the fraction of active items in all warp instructions.
    pub fn busy(&self) -> f64 {
        let (mut warps, mut items) = (0, 0);
        for work in self.lines.values() {
            warps += work.warps;
            items += work.items;
        }
        items as f64 / (warps * self.warp as u64).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LINE;

    fn moment(offset: impl Fn(u64) -> u64) -> Moment {
        Moment { times: 1, offsets: (0..32).map(|i| Some(offset(i))).collect() }
    }

    #[test]
    fn neighbors_strides_and_one_place_have_their_sectors() {
        for (moment, sectors, lines, least) in [
            (moment(|i| 4 * i), 4, 1, 4),
            (moment(|i| 8 * i), 8, 2, 4),
            (moment(|i| 128 * i), 32, 32, 4),
            (moment(|i| 4 * i + 20), 5, 2, 4),
            (moment(|_| 64), 1, 1, 1),
        ] {
            assert_eq!(moment.parts(4, SECTOR), sectors);
            assert_eq!(moment.parts(4, LINE), lines);
            assert_eq!(moment.least(4, SECTOR), least);
        }
        assert_eq!(moment(|i| 16 * i).parts(16, SECTOR), 16);
    }

    #[test]
    fn different_words_of_a_bank_conflict() {
        for (stride, wavefronts) in
            [(4, 1), (8, 2), (128, 32), (132, 1), (0, 1)]
        {
            let moment = moment(|i| stride * i);
            assert_eq!(moment.wavefronts(4)[0], wavefronts, "stride {stride}");
        }
        // Contiguous `float4`s: a quarter of a warp uses all banks.
        assert_eq!(moment(|i| 16 * i).wavefronts(16), [4, 4]);
        // A column of `float4`s: the eight of a quarter use the same four
        // banks.
        assert_eq!(moment(|i| 128 * i).wavefronts(16), [32, 4]);
        assert_eq!(moment(|i| 8 * i).wavefronts(8), [2, 2]);
    }

    #[test]
    fn inactive_items_touch_nothing() {
        let mut half = moment(|i| 128 * i);
        half.offsets[..16].fill(None);
        assert_eq!((half.lanes(), half.parts(4, SECTOR)), (16, 16));
        assert_eq!(half.wavefronts(4), [16, 1]);
        let nobody = Moment { times: 1, offsets: vec![None; 32] };
        assert_eq!(
            (nobody.parts(4, SECTOR), nobody.wavefronts(4)),
            (0, [0, 0])
        );
    }
}
