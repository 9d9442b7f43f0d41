//! The same expressions on the processor: one loop over blocks that stay in its
//! nearest memory, and each line of a plan goes over a block.

mod phases;

use std::hint::select_unpredictable;

use smallvec::SmallVec;

use super::super::cpu::blocks::{self, Numbers};
use super::Shared;
use super::lazy::with;
use super::schedule::Operation;
use crate::base::share::{share, threads};
use crate::error::Result;
use crate::opencl::{Count, Index, Join, Plan, Space, Value};

/// The numbers of all lines of a block.
const NEAR: usize = 1 << 14;
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
    let length = (NEAR / plan.lines.len().max(1)).clamp(64, 2048);
    let (inputs, places) = (given, all);
    Loops { plan, inputs, places, numbers, length }.share(&mut outs);
    Ok(outs.into_iter().map(blocks::shared).collect())
}

struct Loops<'a> {
    plan: &'a Plan<Operation>,
    inputs: Vec<&'a [f32]>,
    places: Vec<&'a [usize]>,
    numbers: &'a [f32],
    /// So many numbers are in a block.
    length: usize,
}

/// A part of an output, from some element on.
struct Piece<'a>(usize, &'a mut [f32]);

impl Loops<'_> {
    /// Lets threads share the elements, or the rows.
    fn share(&self, outs: &mut [Numbers]) {
        let plan = self.plan;
        let (count, width) = match plan.space() {
            Space::Each(n) => (n, 1),
            Space::Rows { rows, segment, .. } => (rows * plan.parts(), segment),
        };
        let widths: SmallVec<[usize; 4]> =
            outs.iter().map(|out| out.len() / count).collect();
        let wanted = count.div_ceil(4 * threads());
        let least =
            (SHARED / width).max(1).next_multiple_of(self.length.min(64));
        let each = match self.is_cut() && threads() > 1 {
            true => wanted.max(least).next_multiple_of(8),
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
            let pieces: SmallVec<[Piece; 4]> = pieces
                .map(|(all, width)| {
                    let piece = all.next().expect("one for each work");
                    Piece(from * width, piece)
                })
                .collect();
            (from, (from + each).min(count), pieces)
        });
        let work = |(from, to, mut pieces): (usize, usize, SmallVec<_>)| {
            let mut near = vec![0.0; plan.lines.len() * self.length];
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
        pieces: &mut [Piece],
        near: &mut [f32],
    ) {
        for from in (from..to).step_by(self.length) {
            let n = self.length.min(to - from);
            let counts = [("i", from, 1)];
            for line in 0..self.plan.lines.len() {
                self.line(line, &counts, n, &[], near);
            }
            self.store(|_| true, &counts, n, pieces, near);
        }
    }

    /// Computes a row, or a part of one, block after block.
    fn along(&self, slot: usize, pieces: &mut [Piece], near: &mut [f32]) {
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
                        let x = &near[join.line * self.length..][..n];
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
                out[slot - *start] = near[store.line * self.length];
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
        near: &mut [f32],
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
                            let x = &near[join.line * self.length..][..n];
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

    /// Computes the lines of a phase that are the same in each column.
    fn rows_lines(
        &self,
        phase: usize,
        counts: &[Count],
        n: usize,
        joined: &[f64],
        near: &mut [f32],
    ) {
        for (number, line) in self.plan.lines.iter().enumerate() {
            if !line.in_columns && line.phase == phase {
                self.line(number, counts, n, joined, near);
            }
        }
    }

    /// Computes the lines of the columns that the loop of a phase needs.
    fn columns_lines(
        &self,
        phase: usize,
        counts: &[Count],
        n: usize,
        near: &mut [f32],
    ) {
        for (number, line) in self.plan.lines.iter().enumerate() {
            if line.in_columns && line.phase <= phase {
                self.line(number, counts, n, &[], near);
            }
        }
    }

    /// Computes a line for a block.
    fn line(
        &self,
        number: usize,
        counts: &[Count],
        n: usize,
        joined: &[f64],
        near: &mut [f32],
    ) {
        let (before, rest) = near.split_at_mut(number * self.length);
        let out = &mut rest[..n];
        let block = |line: usize| &before[line * self.length..][..n];
        match &self.plan.lines[number].value {
            Value::Load(buffer, at) => {
                self.load(self.inputs[*buffer], at, counts, out);
            }
            Value::Number(slot) => out.fill(self.numbers[*slot]),
            Value::Joined(join) => {
                let each = joined.len() / self.plan.joins.len();
                let values = joined[join * each..][..each].iter().cycle();
                let pairs = out.iter_mut().zip(values);
                pairs.for_each(|(out, value)| *out = *value as f32);
            }
            Value::Where(place, at, line) => {
                let all = |index| self.all(index, counts, n);
                let places = all(place).into_iter().zip(all(at));
                let pairs = out.iter_mut().zip(block(*line)).zip(places);
                for ((out, x), (place, at)) in pairs {
                    *out = if place == at { *x } else { 0.0 };
                }
            }
            Value::Apply(op, args, slot) => match (op, &args[..]) {
                (Operation::Unary(op), [x]) => {
                    let op = slot.map_or(*op, |it| with(*op, self.numbers[it]));
                    blocks::unary(op, block(*x), out);
                }
                (Operation::Binary(op), [x, y]) => {
                    blocks::binary(*op, block(*x), block(*y), out);
                }
                (Operation::Choice, [mask, x, y]) => {
                    let [mask, x, y] = [mask, x, y].map(|it| block(*it));
                    let pairs = mask.iter().zip(x).zip(y);
                    for (out, ((mask, x), y)) in out.iter_mut().zip(pairs) {
                        *out = select_unpredictable(*mask != 0.0, *x, *y);
                    }
                }
                _ => unreachable!("each operation has its operands"),
            },
        }
    }

    /// Reads a block from wherever it lies.
    fn load(&self, all: &[f32], at: &Index, counts: &[Count], out: &mut [f32]) {
        let (parts, mut rest) = (&self.plan.parts, out);
        let n = rest.len();
        for (at, step, length) in parts.runs(at, counts, &self.places, n) {
            let (out, others) = rest.split_at_mut(length);
            let at = at as usize;
            match step {
                1 => {
                    let pairs = out.iter_mut().zip(&all[at..][..length]);
                    pairs.for_each(|(out, x)| *out = *x);
                }
                0 => {
                    let x = all[at];
                    out.iter_mut().for_each(|out| *out = x);
                }
                _ => {
                    for (k, out) in (0..).zip(out) {
                        *out = all[at.wrapping_add_signed(k * step as isize)];
                    }
                }
            }
            rest = others;
        }
    }

    /// Computes an index for each element of a block.
    fn all(&self, index: &Index, counts: &[Count], n: usize) -> Vec<i64> {
        let parts = &self.plan.parts;
        let runs = parts.runs(index, counts, &self.places, n);
        runs.flat_map(|(at, step, length)| {
            (0..length as i64).map(move |k| at + k * step)
        })
        .collect()
    }

    /// Stores a block of some of the outputs.
    fn store(
        &self,
        wanted: impl Fn(usize) -> bool,
        counts: &[Count],
        n: usize,
        pieces: &mut [Piece],
        near: &[f32],
    ) {
        let stores = self.plan.stores.iter().zip(pieces).enumerate();
        for (number, (store, Piece(start, out))) in stores {
            if !wanted(number) {
                continue;
            }
            let block = &near[store.line * self.length..][..n];
            let even = self.plan.parts.even(&store.at, counts);
            let (first, step) = even.expect("it meets each place once");
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
