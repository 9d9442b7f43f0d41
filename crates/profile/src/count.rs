//! What a moment of a warp costs: sectors and lines of global memory, and
//! answers of the banks of local memory.

use std::collections::BTreeSet;

use crate::record::{Access, Kind, Launch, Moment};
use crate::{BANKS, SECTOR};

impl Moment {
    /// Counts the items that take part.
    pub fn lanes(&self) -> u64 {
        self.offsets.iter().flatten().count() as u64
    }

    /// Counts the parts of memory, of so many bytes each, that hold what is
    /// touched.
    pub fn parts(&self, bytes: u64, part: u64) -> u64 {
        let held = |offset: &u64| offset / part..=(offset + bytes - 1) / part;
        let parts: BTreeSet<u64> =
            self.offsets.iter().flatten().flat_map(held).collect();
        parts.len() as u64
    }

    /// Counts the parts that the same numbers would need if they lay side by
    /// side from the beginning of one.
    pub fn least(&self, bytes: u64, part: u64) -> u64 {
        let held = |offset: &u64| *offset..offset + bytes;
        let touched: BTreeSet<u64> =
            self.offsets.iter().flatten().flat_map(held).collect();
        (touched.len() as u64).div_ceil(part)
    }

    /// Counts how often local memory has to answer, and how often it would
    /// have to if no two items wanted different words of one bank. A word has 4
    /// bytes; items that want the same one get it together. Of 8 bytes for each
    /// item a half of the warp is served at once, of 16 a quarter.
    pub fn answers(&self, bytes: u64) -> [u64; 2] {
        let share = self.offsets.len() / (bytes / 4).clamp(1, 4) as usize;
        let (mut answers, mut least) = (0, 0);
        for turn in self.offsets.chunks(share.max(1)) {
            let words = |offset: &u64| offset / 4..=(offset + bytes - 1) / 4;
            let words: BTreeSet<u64> =
                turn.iter().flatten().flat_map(words).collect();
            let in_bank = |bank| {
                words.iter().filter(|&word| word % BANKS == bank).count()
            };
            let most = (0..BANKS).map(in_bank).max().unwrap_or(0);
            answers += most as u64;
            least += (words.len() as u64).div_ceil(BANKS);
        }
        [answers, least]
    }
}

impl Access {
    /// Counts the moments at which a warp does this.
    pub fn times(&self) -> u64 {
        self.total(|_| 1)
    }

    /// Adds up something over all moments.
    pub fn total(&self, of: impl Fn(&Moment) -> u64) -> u64 {
        self.moments.iter().map(|moment| moment.times * of(moment)).sum()
    }

    /// Counts the parts of global memory that are touched, and the least that
    /// would do.
    pub fn parts(&self, part: u64) -> [u64; 2] {
        [
            self.total(|moment| moment.parts(self.bytes, part)),
            self.total(|moment| moment.least(self.bytes, part)),
        ]
    }

    /// Counts the answers of local memory, and the least that would do.
    pub fn answers(&self) -> [u64; 2] {
        [0, 1].map(|at| self.total(|moment| moment.answers(self.bytes)[at]))
    }

    /// Counts the answers that a bank owes to a clash.
    pub fn conflicts(&self) -> u64 {
        let [answers, least] = self.answers();
        answers - least
    }

    /// Counts the numbers of 4 bytes that items move.
    pub fn numbers(&self) -> u64 {
        self.total(Moment::lanes) * self.bytes.div_ceil(4)
    }

    /// Finds the moment that costs most, or comes most often of those.
    pub fn worst(&self) -> &Moment {
        let cost = |moment: &&Moment| match self.is_local {
            true => (moment.answers(self.bytes)[0], moment.times),
            false => (moment.parts(self.bytes, SECTOR), moment.times),
        };
        self.moments.iter().max_by_key(cost).expect("somebody came by")
    }
}

/// The opcodes of LLVM that compute with numbers that have a point.
const SUMS: [&str; 3] = ["9", "11", "66"];
const PRODUCT: &str = "13";
const QUOTIENTS: [&str; 2] = ["16", "19"];
/// Those that put a variable of an item somewhere, and those that only say
/// where something is or what it is called.
const PRIVATE: [&str; 5] = ["26", "29", "41", "49", "60"];

/// What the items computed, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Arithmetic {
    /// Products, those with a sum in one instruction too.
    pub(crate) products: u64,
    /// Sums and differences, those after a product too.
    pub(crate) sums: u64,
    /// Quotients and functions, such as `exp`.
    pub(crate) functions: u64,
    /// Instructions that do something else: indices, comparisons, branches.
    pub(crate) others: u64,
}

impl Arithmetic {
    /// Counts the operations on numbers, as a data sheet does.
    pub(crate) fn operations(&self) -> u64 {
        self.products + self.sums + self.functions
    }
}

/// Words in the names of functions that multiply and add at once; of those
/// that ask who an item is, or that wait; and of LLVM's notes.
const FUSED: [&str; 3] = ["fmuladd", "Z3fma", "Z3mad"];
const NO_FUNCTION: [&str; 5] = ["get_", "barrier", "llvm.", "vload", "vstore"];

impl Launch {
    /// Returns a line of the source, as far as it was come by.
    pub fn text(&self, line: usize) -> &str {
        self.lines.get(&line).map_or("", |work| &work.text)
    }

    /// Adds up what the items computed.
    pub(crate) fn arithmetic(&self) -> Arithmetic {
        let mut all = Arithmetic::default();
        for operation in &self.operations {
            let name = operation.name.as_str();
            let numbers = operation.times * operation.width;
            let is = |words: &[&str]| words.iter().any(|it| name.contains(it));
            let is_code = name.bytes().all(|byte| byte.is_ascii_digit());
            if is(&FUSED) {
                all.products += numbers;
                all.sums += numbers;
            } else if name == PRODUCT {
                all.products += numbers;
            } else if SUMS.contains(&name) {
                all.sums += numbers;
            } else if QUOTIENTS.contains(&name) {
                all.functions += numbers;
            } else if is_code && !PRIVATE.contains(&name) {
                all.others += operation.times;
            } else if name.starts_with("_Z") && !is(&NO_FUNCTION) {
                all.functions += numbers;
            }
        }
        all
    }

    /// Counts the numbers that are written to global memory: for a kernel that
    /// writes each element once, its elements.
    pub fn elements(&self) -> u64 {
        let accesses = self.accesses.iter();
        accesses
            .filter(|it| !it.is_local && it.kind != Kind::Load)
            .map(Access::numbers)
            .sum()
    }

    /// Counts the numbers that items load from local or from global memory.
    pub fn loads(&self, is_local: bool) -> u64 {
        let accesses = self.accesses.iter();
        accesses
            .filter(|it| it.is_local == is_local && it.kind != Kind::Store)
            .map(Access::numbers)
            .sum()
    }

    /// Counts the bytes that warps ask for, sector by sector, if nothing stays in
    /// a cache.
    pub fn asked(&self) -> u64 {
        let global = self.accesses.iter().filter(|it| !it.is_local);
        global.map(|it| it.parts(SECTOR)[0] * SECTOR).sum()
    }

    /// Counts the groups.
    pub fn groups(&self) -> u64 {
        let along = |d: usize| self.global[d].div_ceil(self.group[d].max(1));
        (along(0) * along(1) * along(2)) as u64
    }

    /// Counts the items of a group.
    pub fn items(&self) -> u64 {
        self.group.iter().product::<usize>() as u64
    }

    /// Returns the share of a warp's places at which an item was at work.
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
    fn banks_clash_for_different_words_and_not_for_one() {
        for (stride, answers) in [(4, 1), (8, 2), (128, 32), (132, 1), (0, 1)] {
            let moment = moment(|i| stride * i);
            assert_eq!(moment.answers(4)[0], answers, "stride {stride}");
        }
        // Fours side by side: a quarter of a warp fills all banks.
        assert_eq!(moment(|i| 16 * i).answers(16), [4, 4]);
        // A column of fours: the eight of a quarter are in the same four banks.
        assert_eq!(moment(|i| 128 * i).answers(16), [32, 4]);
        assert_eq!(moment(|i| 8 * i).answers(8), [2, 2]);
    }

    #[test]
    fn items_that_are_switched_off_touch_nothing() {
        let mut half = moment(|i| 128 * i);
        half.offsets[..16].fill(None);
        assert_eq!((half.lanes(), half.parts(4, SECTOR)), (16, 16));
        assert_eq!(half.answers(4), [16, 1]);
        let nobody = Moment { times: 1, offsets: vec![None; 32] };
        assert_eq!((nobody.parts(4, SECTOR), nobody.answers(4)), (0, [0, 0]));
    }
}
