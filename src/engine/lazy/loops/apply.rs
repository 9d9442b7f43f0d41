//! Applies the operations of a plan to blocks, in one function that is
//! compiled for the widest registers of the processor.

use std::hint::select_unpredictable;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::Loops;
use super::lines::Block;
use crate::engine::cpu::blocks::{self, Fma};
use crate::engine::lazy::compiler::Value;
use crate::engine::lazy::schedule::Operation;

/// Consecutive operations of a plan, to be applied to a block.
pub(super) struct Applied<'w, 'a> {
    pub(super) loops: &'w Loops<'a>,
    pub(super) lines: Range<usize>,
    pub(super) wanted: &'w dyn Fn(usize) -> bool,
    pub(super) n: usize,
    pub(super) near: &'w mut [Block<'a>],
}

impl WithSimd for Applied<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Applied { loops, lines, wanted, n, near } = self;
        let fma = Fma::of::<S>();
        for number in lines.filter(|line| wanted(*line)) {
            let Value::Apply(op, args, slot) = &loops.plan.lines[number].value
            else {
                continue;
            };
            let (before, rest) = near.split_at_mut(number);
            let out = &mut rest[0].own[..n];
            let block = |line: usize| before[line].values(n);
            match (op, &args[..]) {
                (Operation::Unary(op), [x]) => {
                    let number = slot.map_or(0.0, |slot| loops.numbers[slot]);
                    let op = op.with_number(number.into());
                    blocks::unary(fma, op, block(*x), out);
                }
                (Operation::Binary(op), [x, y]) => {
                    blocks::binary(*op, block(*x), block(*y), out);
                }
                (Operation::Choice, [mask, x, y]) => {
                    let [mask, x, y] = [mask, x, y].map(|line| block(*line));
                    let pairs = mask.iter().zip(x).zip(y);
                    for (out, ((mask, x), y)) in out.iter_mut().zip(pairs) {
                        *out = select_unpredictable(*mask != 0.0, *x, *y);
                    }
                }
                _ => unreachable!("each operation has its operands"),
            }
        }
    }
}
