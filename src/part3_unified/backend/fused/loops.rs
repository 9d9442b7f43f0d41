//! The same expressions on the processor: one loop over blocks that stay in its
//! nearest memory, and each line of a plan goes over a block.

mod apply;
mod lines;
mod phases;

use std::mem::take;

use pulp::Arch;
use smallvec::SmallVec;

use self::lines::Block;
use super::super::cpu::blocks::{self, Numbers};
use super::Shared;
use super::schedule::Operation;
use crate::base::share::{share, threads};
use crate::error::Result;
use crate::opencl::{Count, Join, Plan, Space};

/// The numbers of all lines of a block.
const NEAR: usize = 1 << 15;
/// A line has at most so many. Each operation begins anew with a block, and in
/// a short one that is much of its time: seven operations on 10^7 numbers took
/// 27.8 ms with 256 and 22.7 with 2048 (one thread of an AMD EPYC, the least of
/// five, November 2026); an Intel Xeon's sixteen took 1.9 and 1.6, and its one
/// 20.2 and 22.9, of runs that differed by a third.
const LONG: usize = 1 << 11;
/// As many numbers as a cache line has: a vector that lies in two of them takes
/// longer.
const CACHE_LINE: usize = 16;
/// So many numbers are worth a second thread.
const SHARED: usize = 1 << 15;

/// Rows of so few numbers are no block of their own.
const SHORT: usize = 32;

/// Computes a plan from storages of the processor.
pub(super) fn run(
    plan: &Plan<Operation>,
    inputs: &[Shared],
    places: &[&[usize]],
    numbers: &[f32],
) -> Result<SmallVec<[Shared; 4]>> {
    let mut outs: SmallVec<[Numbers; 4]> = SmallVec::new();
    for length in plan.lengths() {
        outs.push(blocks::blank(length)?);
    }
    let [integers, buffers] = plan.read();
    let mut given: Vec<&[f32]> = vec![];
    for (buffer, input) in buffers.zip(inputs) {
        given.resize(given.len().max(buffer + 1), &[]);
        given[buffer] = blocks::slice(&**input);
    }
    let mut all: Vec<&[usize]> = vec![];
    for (buffer, places) in integers.zip(places) {
        all.resize(all.len().max(buffer + 1), &[]);
        all[buffer] = places;
    }
    let length = (NEAR / plan.lines.len().max(1)).clamp(64, LONG);
    let length = length.next_multiple_of(CACHE_LINE);
    let (arch, inputs, places) = (Arch::new(), given, all);
    let needed = phases::needed(plan);
    Loops { arch, plan, needed, inputs, places, numbers, length }
        .share(&mut outs);
    Ok(outs.into_iter().map(blocks::shared).collect())
}

/// Says how many elements, or rows of this width, a thread takes at once: a
/// fourth of its share, but not too little work.
fn at_once(count: usize, width: usize, threads: usize) -> usize {
    let least = (SHARED / width).max(1).next_multiple_of(64);
    count.div_ceil(4 * threads).max(least).next_multiple_of(8)
}

struct Loops<'a> {
    arch: Arch,
    plan: &'a Plan<Operation>,
    /// Which lines each walk along the rows needs.
    needed: Vec<Vec<bool>>,
    inputs: Vec<&'a [f32]>,
    places: Vec<&'a [usize]>,
    numbers: &'a [f32],
    /// So many numbers are in a block.
    length: usize,
}

/// A part of an output, from some element on.
struct Piece<'a>(usize, &'a mut [f32]);

impl<'a> Loops<'a> {
    /// Lets threads share the elements, or the rows.
    fn share(&self, outs: &mut [Numbers]) {
        let plan = self.plan;
        let (count, width) = match plan.space() {
            Space::Each(n) => (n, 1),
            Space::Rows { rows, segment, .. } => (rows * plan.parts(), segment),
        };
        let widths: SmallVec<[usize; 4]> =
            outs.iter().map(|out| out.len() / count).collect();
        let each = match self.is_cut() && threads() > 1 {
            true => at_once(count, width, threads()),
            false => count,
        };
        let pieces = outs.iter_mut().zip(&widths);
        let mut pieces: Vec<_> = pieces
            .map(|(out, width)| match each < count {
                true => out.chunks_mut(each * width),
                false => out.chunks_mut(usize::MAX),
            })
            .collect();
        let works = (0..count).step_by(each).map(|from| {
            let pieces = pieces.iter_mut().zip(&widths);
            let pieces: Vec<Piece> = pieces
                .map(|(all, width)| {
                    let piece = all.next().expect("one for each work");
                    Piece(from * width, piece)
                })
                .collect();
            (from, (from + each).min(count), pieces)
        });
        let work = |(from, to, pieces): (usize, usize, Vec<Piece>)| {
            let numbers = plan.lines.len() * self.length;
            let mut memory = vec![0.0; numbers + CACHE_LINE];
            let mut near = self.blocks(&mut memory);
            let mut pieces = pieces;
            match plan.space() {
                Space::Each(_) => self.each(from, to, &mut pieces, &mut near),
                Space::Rows { .. } if self.is_across() => {
                    self.across(from, to, &mut pieces, &mut near);
                }
                Space::Rows { .. } => {
                    (from..to).for_each(|slot| {
                        self.along(slot, &mut pieces, &mut near);
                    });
                }
            }
        };
        match each < count {
            true => share(works.collect::<Vec<_>>().into_iter(), work),
            false => works.for_each(work),
        }
    }

    /// Says whether a block has many rows: where they lie across, or are short.
    fn is_across(&self) -> bool {
        let Space::Rows { columns, .. } = self.plan.space() else {
            return false;
        };
        let is_short = columns <= SHORT;
        self.plan.parts() == 1 && (is_short || self.plan.lies_across())
    }

    /// Says whether the outputs lie as the rows do.
    fn is_cut(&self) -> bool {
        let Space::Rows { columns, .. } = self.plan.space() else {
            return true;
        };
        let [r, c] = &self.plan.counts;
        self.plan.stores.iter().all(|store| {
            let is_even =
                store.at.stride(r) == columns as i64 && store.at.stride(c) == 1;
            store.at.is_row(self.plan) || (self.plan.parts() == 1 && is_even)
        })
    }

    fn each(
        &self,
        from: usize,
        to: usize,
        pieces: &mut [Piece<'a>],
        near: &mut [Block<'a>],
    ) {
        let straight = self.straight();
        for from in (from..to).step_by(self.length) {
            let n = self.length.min(to - from);
            let counts = [("i", from, 1)];
            for store in &straight {
                let Piece(start, out) = &mut pieces[*store];
                let (here, rest) = take(out).split_at_mut(n);
                (*start, *out) = (*start + n, rest);
                near[self.plan.stores[*store].line].own = here;
            }
            self.lines(&|_| true, &counts, n, &[], near);
            let is_left = |store| !straight.contains(&store);
            self.store(is_left, &counts, n, pieces, near);
        }
    }

    /// Lists the outputs whose lines can be computed where they belong.
    fn straight(&self) -> SmallVec<[usize; 4]> {
        let stores = &self.plan.stores;
        let is_straight = |store: &usize| {
            let line = stores[*store].line;
            let is_first = stores[..*store].iter().all(|it| it.line != line);
            let (_, step) = self.even(*store, &[("i", 0, 1)]);
            is_first && step == 1 && self.is_applied(line)
        };
        (0..stores.len()).filter(is_straight).collect()
    }

    /// Says where a block of an output begins, and its step.
    fn even(&self, store: usize, counts: &[Count]) -> (usize, isize) {
        let at = &self.plan.stores[store].at;
        self.plan.parts.even(at, counts).expect("it meets each place once")
    }

    /// Computes a row, or a part of one, block after block.
    fn along(&self, slot: usize, pieces: &mut [Piece], near: &mut [Block<'a>]) {
        let (plan, parts) = (self.plan, self.plan.parts());
        let Space::Rows { columns, segment, .. } = plan.space() else {
            return;
        };
        let (r, from) = (slot / parts, slot % parts * segment);
        let to = columns.min(from + segment);
        let most = self.length.min(to - from);
        let mut joined: SmallVec<[f64; 4]> =
            plan.joins.iter().map(|it| start(it.join)).collect();
        for phase in 0..=self.last() {
            self.rows_lines(phase, &[("r", r, 0)], most, &joined, near);
            if !self.has_loop(phase) {
                continue;
            }
            for from in (from..to).step_by(self.length) {
                let n = self.length.min(to - from);
                let counts = [("r", r, 0), ("c", from, 1)];
                self.columns_lines(phase, &counts, n, near);
                for (joined, join) in joined.iter_mut().zip(&plan.joins) {
                    if join.phase == phase {
                        let x = near[join.line].numbers(n);
                        *joined =
                            blocks::join(join.join == Join::Sum, *joined, x);
                    }
                }
                let is_here = |out: usize| {
                    let store = &plan.stores[out];
                    !store.at.is_row(plan) && self.phase_of(store.line) == phase
                };
                self.store(is_here, &counts, n, pieces, near);
            }
        }
        for (store, Piece(start, out)) in plan.stores.iter().zip(pieces) {
            if store.at.is_row(plan) {
                out[slot - *start] = near[store.line].numbers(1)[0];
            }
        }
    }

    /// Computes many rows beside each other, column after column: where
    /// neighboring rows lie side by side.
    fn across(
        &self,
        from: usize,
        to: usize,
        pieces: &mut [Piece],
        near: &mut [Block<'a>],
    ) {
        let plan = self.plan;
        let Space::Rows { columns, .. } = plan.space() else { return };
        for r in (from..to).step_by(self.length) {
            let n = self.length.min(to - r);
            let mut joined: Vec<f64> = vec![];
            for join in &plan.joins {
                joined.extend(std::iter::repeat_n(start(join.join), n));
            }
            for phase in 0..=self.last() {
                self.rows_lines(phase, &[("r", r, 1)], n, &joined, near);
                if !self.has_loop(phase) {
                    continue;
                }
                for c in 0..columns {
                    let counts = [("r", r, 1), ("c", c, 0)];
                    self.columns_lines(phase, &counts, n, near);
                    let all = joined.chunks_mut(n).zip(&plan.joins);
                    for (joined, join) in all {
                        if join.phase == phase {
                            let x = near[join.line].numbers(n);
                            let is_sum = join.join == Join::Sum;
                            blocks::join_each(is_sum, joined, x);
                        }
                    }
                    let is_here = |out: usize| {
                        let store = &plan.stores[out];
                        !store.at.is_row(plan)
                            && self.phase_of(store.line) == phase
                    };
                    self.store(is_here, &counts, n, pieces, near);
                }
            }
            let is_row = |out: usize| plan.stores[out].at.is_row(plan);
            self.store(is_row, &[("r", r, 1), ("c", 0, 0)], n, pieces, near);
        }
    }

    /// Stores a block of some of the outputs.
    fn store(
        &self,
        wanted: impl Fn(usize) -> bool,
        counts: &[Count],
        n: usize,
        pieces: &mut [Piece],
        near: &[Block],
    ) {
        let stores = self.plan.stores.iter().zip(pieces).enumerate();
        for (number, (store, Piece(start, out))) in stores {
            if !wanted(number) {
                continue;
            }
            let block = near[store.line].numbers(n);
            let (first, step) = self.even(number, counts);
            let first = first - *start;
            match step {
                1 => out[first..][..n].copy_from_slice(block),
                _ => {
                    for (k, x) in (0..).zip(block) {
                        out[first.wrapping_add_signed(k * step)] = *x;
                    }
                }
            }
        }
    }
}

/// Returns what there is before the first number.
fn start(join: Join) -> f64 {
    match join {
        Join::Sum => 0.0,
        Join::Max => f64::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_a_fourth_of_its_share_and_enough_of_it() {
        // Of 2 threads an eighth of the elements, in eights.
        assert_eq!(at_once(1 << 20, 1, 2), 1 << 17);
        assert_eq!(at_once((1 << 20) + 1, 1, 2), (1 << 17) + 8);
        assert_eq!(at_once(8 * SHARED - 1, 1, 2), SHARED);
        assert_eq!(at_once(100, 1, 2), SHARED);
        // Of rows that are long 64, even where one is enough.
        assert_eq!(at_once(100, 1000, 2), 64);
        assert_eq!(at_once(1024, 1000, 2), 128);
        assert_eq!(at_once(1, 1 << 20, 2), 64);
    }
}
