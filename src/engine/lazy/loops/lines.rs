//! Computes the values of the lines of a plan: loads from inputs, constants,
//! results of reductions, and operations.

use std::hint::select_unpredictable;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::{CACHE_LINE, Loops};
use crate::engine::cpu::blocks::{self, Fma};
use crate::engine::lazy::compiler::{Count, Index, Value};
use crate::engine::lazy::schedule::Operation;

/// The values of a line for a block: in scratch memory, or a slice of an
/// input.
pub(super) struct Block<'a> {
    pub(super) own: &'a mut [f32],
    input: Option<&'a [f32]>,
}

impl Block<'_> {
    pub(super) fn values(&self, n: usize) -> &[f32] {
        &self.input.unwrap_or(self.own)[..n]
    }
}

impl<'a> Loops<'a> {
    /// Splits memory into a block for each line, aligned to cache lines.
    pub(super) fn blocks(&self, memory: &'a mut [f32]) -> Vec<Block<'a>> {
        let bytes = CACHE_LINE * size_of::<f32>();
        let first = memory.as_ptr().align_offset(bytes).min(CACHE_LINE);
        let blocks = memory[first..].chunks_exact_mut(self.length);
        blocks.map(|own| Block { own, input: None }).collect()
    }

    /// Computes the lines of a phase that have one value per row.
    pub(super) fn rows_lines(
        &self,
        phase: usize,
        counts: &[Count],
        n: usize,
        accumulators: &[f64],
        blocks: &mut [Block<'a>],
    ) {
        let wanted = |line: usize| {
            let line = &self.plan.lines[line];
            !line.in_columns && line.phase == phase
        };
        self.lines(&wanted, counts, n, accumulators, blocks);
    }

    /// Computes the lines with one value per element that the loop of a phase
    /// needs.
    pub(super) fn columns_lines(
        &self,
        phase: usize,
        counts: &[Count],
        n: usize,
        blocks: &mut [Block<'a>],
    ) {
        let wanted = |line: usize| {
            self.plan.lines[line].in_columns && self.needed[phase][line]
        };
        self.lines(&wanted, counts, n, &[], blocks);
    }

    pub(super) fn is_applied(&self, line: usize) -> bool {
        matches!(self.plan.lines[line].value, Value::Apply(..))
    }

    /// Computes the lines for which `wanted` returns `true`, in order.
    /// Consecutive operations are computed in one call, so that the code is
    /// dispatched by register width only once.
    pub(super) fn lines(
        &self,
        wanted: &dyn Fn(usize) -> bool,
        counts: &[Count],
        n: usize,
        accumulators: &[f64],
        blocks: &mut [Block<'a>],
    ) {
        let (mut from, count) = (0, self.plan.lines.len());
        while from < count {
            if !wanted(from) {
                from += 1;
            } else if self.is_applied(from) {
                let is_other =
                    |line: &usize| wanted(*line) && !self.is_applied(*line);
                let to = (from..count).find(is_other).unwrap_or(count);
                let (loops, lines, blocks) = (self, from..to, &mut *blocks);
                self.arch.dispatch(ApplyLines {
                    loops,
                    lines,
                    wanted,
                    n,
                    blocks,
                });
                from = to;
            } else {
                let (before, rest) = blocks.split_at_mut(from);
                let out = &mut rest[0].own[..n];
                rest[0].input =
                    self.source(from, counts, accumulators, before, out);
                from += 1;
            }
        }
    }

    /// Writes the values of a line that is not an operation to `out`, or
    /// returns a slice of an input with these values.
    fn source(
        &self,
        line: usize,
        counts: &[Count],
        accumulators: &[f64],
        before: &[Block],
        out: &mut [f32],
    ) -> Option<&'a [f32]> {
        let n = out.len();
        let block = |line: usize| before[line].values(n);
        match &self.plan.lines[line].value {
            Value::Load(buffer, at) => {
                return self.load(self.inputs[*buffer], at, counts, out);
            }
            Value::Number(slot) => out.fill(self.constants[*slot]),
            Value::Joined(join) => {
                let each = accumulators.len() / self.plan.joins.len();
                let values = accumulators[join * each..][..each].iter().cycle();
                let pairs = out.iter_mut().zip(values);
                pairs.for_each(|(out, value)| *out = *value as f32);
            }
            Value::Where(place, at, line) => {
                let all = |index| {
                    self.plan.parts.all(index, counts, &self.index_lists, n)
                };
                let index_pairs = all(place).into_iter().zip(all(at));
                let pairs = out.iter_mut().zip(block(*line)).zip(index_pairs);
                for ((out, x), (place, at)) in pairs {
                    *out = if place == at { *x } else { 0.0 };
                }
            }
            Value::Apply(..) => unreachable!("operations are applied together"),
        }
        None
    }

    /// Returns a block of an input if it is contiguous; otherwise copies it to
    /// `out`.
    fn load(
        &self,
        all: &'a [f32],
        at: &Index,
        counts: &[Count],
        out: &mut [f32],
    ) -> Option<&'a [f32]> {
        let (parts, mut rest) = (&self.plan.parts, out);
        let n = rest.len();
        if let Some((at, 1)) = parts.even(at, counts) {
            return Some(&all[at..][..n]);
        }
        for (at, step, length) in parts.runs(at, counts, &self.index_lists, n) {
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
        None
    }
}

/// Consecutive operations of a plan, to be applied to a block in one function
/// that is compiled for the widest registers of the processor.
struct ApplyLines<'w, 'a> {
    loops: &'w Loops<'a>,
    lines: Range<usize>,
    wanted: &'w dyn Fn(usize) -> bool,
    n: usize,
    blocks: &'w mut [Block<'a>],
}

impl WithSimd for ApplyLines<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ApplyLines { loops, lines, wanted, n, blocks } = self;
        let fma = Fma::for_simd::<S>();
        for number in lines.filter(|line| wanted(*line)) {
            let Value::Apply(op, args, slot) = &loops.plan.lines[number].value
            else {
                continue;
            };
            let (before, rest) = blocks.split_at_mut(number);
            let out = &mut rest[0].own[..n];
            let block = |line: usize| before[line].values(n);
            match (op, &args[..]) {
                (Operation::Unary(op), [x]) => {
                    let constant =
                        slot.map_or(0.0, |slot| loops.constants[slot]);
                    let op = op.with_constant(constant.into());
                    blocks::unary(fma, op, block(*x), out);
                }
                (Operation::Binary(op), [x, y]) => {
                    blocks::binary(*op, block(*x), block(*y), out);
                }
                (Operation::Where, [mask, x, y]) => {
                    let [mask, x, y] = [mask, x, y].map(|line| block(*line));
                    let pairs = mask.iter().zip(x).zip(y);
                    for (out, ((mask, x), y)) in out.iter_mut().zip(pairs) {
                        *out = select_unpredictable(*mask != 0.0, *x, *y);
                    }
                }
                _ => unreachable!("an operation has all its operands"),
            }
        }
    }
}
