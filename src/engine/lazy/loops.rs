//! Runs a plan on the CPU. The simple algorithm is one loop per line of the
//! plan, each over all elements:
//!
//! ```text
//! for line in plan.lines:
//!     for i in 0..n:
//!         value[line][i] = apply(line, value[operands of line][i])
//! ```
//!
//! Three optimizations are applied to it:
//!
//! 1. **Blocks.** The loop over blocks of elements is the outer one, so that
//!    the values of all lines of a block stay in the nearest cache.
//! 2. **No copies.** A contiguous input is read in place, and a line that is
//!    stored contiguously is computed directly in the output.
//! 3. **Threads.** Elements, or rows, are split among threads.

mod lines;
mod phases;

use std::mem::take;

use pulp::Arch;
use smallvec::SmallVec;

use self::lines::Block;
use super::Shared;
use super::schedule::Operation;
use crate::engine::cpu::blocks::{self, HostVec};
use crate::engine::lazy::compiler::{Count, Join, Plan, Space};
use crate::engine::threads::{parallel_for, threads_for};
use crate::error::Result;

/// Elements of all lines of a block together, which must fit into the nearest
/// cache.
const MAX_BLOCK_TOTAL: usize = 1 << 15;
/// Maximum length of a block. In short blocks, starting each operation takes a
/// large part of the time; see docs/benchmarks.md.
const MAX_BLOCK: usize = 1 << 11;
/// `f32` elements of a cache line. Blocks are aligned to it, because a vector
/// that spans two cache lines is slower.
const CACHE_LINE: usize = 16;

/// Rows up to this length are too short to be a block.
const MAX_SHORT_ROW: usize = 32;

/// Computes a plan from storages of the CPU.
pub(super) fn run(
    plan: &Plan<Operation>,
    inputs: &[Shared],
    index_lists: &[&[usize]],
    constants: &[f32],
) -> Result<SmallVec<[Shared; 4]>> {
    let mut outs: SmallVec<[HostVec; 4]> = SmallVec::new();
    for length in plan.lengths() {
        outs.push(blocks::blank(length)?);
    }
    let [integers, buffers] = plan.read();
    let mut slices: Vec<&[f32]> = vec![];
    for (buffer, input) in buffers.zip(inputs) {
        slices.resize(slices.len().max(buffer + 1), &[]);
        slices[buffer] = blocks::slice(&**input);
    }
    let mut lists: Vec<&[usize]> = vec![];
    for (buffer, indices) in integers.zip(index_lists) {
        lists.resize(lists.len().max(buffer + 1), &[]);
        lists[buffer] = indices;
    }
    let length = MAX_BLOCK_TOTAL / plan.lines.len().max(1);
    let length = length.clamp(64, MAX_BLOCK).next_multiple_of(CACHE_LINE);
    let (arch, inputs) = (Arch::new(), slices);
    let needed = phases::needed(plan);
    Loops { arch, plan, needed, inputs, index_lists: lists, constants, length }
        .compute(&mut outs);
    Ok(outs.into_iter().map(blocks::shared).collect())
}

/// Returns the elements or rows of a task: a quarter of a thread's part.
fn task_len(count: usize, threads: usize) -> usize {
    count.div_ceil(4 * threads).next_multiple_of(8)
}

struct Loops<'a> {
    arch: Arch,
    plan: &'a Plan<Operation>,
    /// For each phase, the lines that its loop needs.
    needed: Vec<Vec<bool>>,
    inputs: Vec<&'a [f32]>,
    /// The index lists.
    index_lists: Vec<&'a [usize]>,
    /// The constants.
    constants: &'a [f32],
    /// The length of a block.
    length: usize,
}

/// A part of an output, and the index of its first element.
struct Piece<'a>(usize, &'a mut [f32]);

impl<'a> Loops<'a> {
    /// Computes the outputs, with the elements or rows split among threads.
    fn compute(&self, outs: &mut [HostVec]) {
        let plan = self.plan;
        let (count, width) = match plan.space() {
            Space::Each(n) => (n, 1),
            Space::Rows { rows, segment, .. } => (rows * plan.parts(), segment),
        };
        let widths: SmallVec<[usize; 4]> =
            outs.iter().map(|out| out.len() / count).collect();
        let threads = threads_for(count * width);
        let each = if self.can_split() && threads > 1 {
            task_len(count, threads)
        } else {
            count
        };
        let pieces = outs.iter_mut().zip(&widths);
        let mut pieces: Vec<_> = pieces
            .map(|(out, width)| {
                if each < count {
                    out.chunks_mut(each * width)
                } else {
                    out.chunks_mut(usize::MAX)
                }
            })
            .collect();
        let works = (0..count).step_by(each).map(|from| {
            let pieces = pieces.iter_mut().zip(&widths);
            let pieces: Vec<Piece> = pieces
                .map(|(all, width)| {
                    let piece = all.next().expect("a piece for each task");
                    Piece(from * width, piece)
                })
                .collect();
            (from, (from + each).min(count), pieces)
        });
        let work = |(from, to, pieces): (usize, usize, Vec<Piece>)| {
            let numbers = plan.lines.len() * self.length;
            let mut memory = vec![0.0; numbers + CACHE_LINE];
            let mut blocks = self.blocks(&mut memory);
            let mut pieces = pieces;
            match plan.space() {
                Space::Each(_) => self.each(from, to, &mut pieces, &mut blocks),
                Space::Rows { .. } if self.is_across() => {
                    self.across(from, to, &mut pieces, &mut blocks);
                }
                Space::Rows { .. } => {
                    (from..to).for_each(|slot| {
                        self.along(slot, &mut pieces, &mut blocks);
                    });
                }
            }
        };
        if each < count {
            let works: Vec<_> = works.collect();
            parallel_for(threads, works.into_iter(), work)
        } else {
            works.for_each(work)
        }
    }

    /// Returns whether a block has one element of many rows: if adjacent rows
    /// have adjacent elements, or rows are short.
    fn is_across(&self) -> bool {
        let Space::Rows { columns, .. } = self.plan.space() else {
            return false;
        };
        let is_short = columns <= MAX_SHORT_ROW;
        self.plan.parts() == 1 && (is_short || self.plan.lies_across())
    }

    /// Returns whether each task writes a contiguous part of every output.
    fn can_split(&self) -> bool {
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

    /// Computes the elements `from..to` of a plan without reductions.
    fn each(
        &self,
        from: usize,
        to: usize,
        pieces: &mut [Piece<'a>],
        blocks: &mut [Block<'a>],
    ) {
        let in_place = self.stores_in_place();
        for from in (from..to).step_by(self.length) {
            let n = self.length.min(to - from);
            let counts = [("i", from, 1)];
            for store in &in_place {
                let Piece(start, out) = &mut pieces[*store];
                let (here, rest) = take(out).split_at_mut(n);
                (*start, *out) = (*start + n, rest);
                blocks[self.plan.stores[*store].line].own = here;
            }
            self.lines(&|_| true, &counts, n, &[], blocks);
            let is_left = |store| !in_place.contains(&store);
            self.store(is_left, &counts, n, pieces, blocks);
        }
    }

    /// Returns the outputs whose lines can be computed directly in the output.
    fn stores_in_place(&self) -> SmallVec<[usize; 4]> {
        let stores = &self.plan.stores;
        let is_in_place = |store: &usize| {
            let line = stores[*store].line;
            let is_first =
                stores[..*store].iter().all(|other| other.line != line);
            let (_, step) = self.even(*store, &[("i", 0, 1)]);
            is_first && step == 1 && self.is_applied(line)
        };
        (0..stores.len()).filter(is_in_place).collect()
    }

    /// Returns the offset of a block of an output, and its step.
    fn even(&self, store: usize, counts: &[Count]) -> (usize, isize) {
        let at = &self.plan.stores[store].at;
        self.plan
            .parts
            .even(at, counts)
            .expect("a store writes each index once")
    }

    /// Computes a row, or a part of one, block by block.
    fn along(
        &self,
        slot: usize,
        pieces: &mut [Piece],
        blocks: &mut [Block<'a>],
    ) {
        let (plan, parts) = (self.plan, self.plan.parts());
        let Space::Rows { columns, segment, .. } = plan.space() else {
            return;
        };
        let (r, from) = (slot / parts, slot % parts * segment);
        let to = columns.min(from + segment);
        let max_len = self.length.min(to - from);
        let mut accumulators: SmallVec<[f64; 4]> =
            plan.joins.iter().map(|join| initial_value(join.join)).collect();
        for phase in 0..=self.last_phase() {
            self.rows_lines(
                phase,
                &[("r", r, 0)],
                max_len,
                &accumulators,
                blocks,
            );
            if !self.has_loop(phase) {
                continue;
            }
            for from in (from..to).step_by(self.length) {
                let n = self.length.min(to - from);
                let counts = [("r", r, 0), ("c", from, 1)];
                self.columns_lines(phase, &counts, n, blocks);
                for (accumulator, join) in
                    accumulators.iter_mut().zip(&plan.joins)
                {
                    if join.phase == phase {
                        let x = blocks[join.line].values(n);
                        *accumulator = blocks::reduce(
                            join.join == Join::Sum,
                            *accumulator,
                            x,
                        );
                    }
                }
                let is_here = |out: usize| {
                    let store = &plan.stores[out];
                    !store.at.is_row(plan) && self.phase_of(store.line) == phase
                };
                self.store(is_here, &counts, n, pieces, blocks);
            }
        }
        for (store, Piece(start, out)) in plan.stores.iter().zip(pieces) {
            if store.at.is_row(plan) {
                out[slot - *start] = blocks[store.line].values(1)[0];
            }
        }
    }

    /// Computes many rows together, column by column: a block has one element
    /// of each row.
    fn across(
        &self,
        from: usize,
        to: usize,
        pieces: &mut [Piece],
        blocks: &mut [Block<'a>],
    ) {
        let plan = self.plan;
        let Space::Rows { columns, .. } = plan.space() else { return };
        for r in (from..to).step_by(self.length) {
            let n = self.length.min(to - r);
            let mut accumulators: Vec<f64> = vec![];
            for join in &plan.joins {
                accumulators
                    .extend(std::iter::repeat_n(initial_value(join.join), n));
            }
            for phase in 0..=self.last_phase() {
                self.rows_lines(
                    phase,
                    &[("r", r, 1)],
                    n,
                    &accumulators,
                    blocks,
                );
                if !self.has_loop(phase) {
                    continue;
                }
                for c in 0..columns {
                    let counts = [("r", r, 1), ("c", c, 0)];
                    self.columns_lines(phase, &counts, n, blocks);
                    let all = accumulators.chunks_mut(n).zip(&plan.joins);
                    for (accumulator, join) in all {
                        if join.phase == phase {
                            let x = blocks[join.line].values(n);
                            let is_sum = join.join == Join::Sum;
                            blocks::reduce_each(is_sum, accumulator, x);
                        }
                    }
                    let is_here = |out: usize| {
                        let store = &plan.stores[out];
                        !store.at.is_row(plan)
                            && self.phase_of(store.line) == phase
                    };
                    self.store(is_here, &counts, n, pieces, blocks);
                }
            }
            let is_row = |out: usize| plan.stores[out].at.is_row(plan);
            self.store(is_row, &[("r", r, 1), ("c", 0, 0)], n, pieces, blocks);
        }
    }

    /// Writes a block to those outputs for which `wanted` returns `true`.
    fn store(
        &self,
        wanted: impl Fn(usize) -> bool,
        counts: &[Count],
        n: usize,
        pieces: &mut [Piece],
        blocks: &[Block],
    ) {
        let stores = self.plan.stores.iter().zip(pieces).enumerate();
        for (number, (store, Piece(start, out))) in stores {
            if !wanted(number) {
                continue;
            }
            let block = blocks[store.line].values(n);
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

/// Returns the initial value of a reduction.
fn initial_value(join: Join) -> f64 {
    match join {
        Join::Sum => 0.0,
        Join::Max => f64::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_a_quarter_of_a_threads_part() {
        // With 2 threads, an eighth of the elements, in multiples of 8.
        assert_eq!(task_len(1 << 20, 2), 1 << 17);
        assert_eq!(task_len((1 << 20) + 1, 2), (1 << 17) + 8);
        assert_eq!(task_len(3, 2), 8);
    }
}
