//! Operations on blocks of numbers, which the lazy device puts one after
//! another while a block is near.

pub(in super::super) use super::elementary::Fma;
use super::elementwise::{self, Each, Pairs};
use super::host::{self, Host};
use super::{Binary, Shared, Storage, Unary, all, most, sum};
use crate::error::Result;

/// Numbers of 32 bits, the only ones that are put off.
pub(in super::super) type Numbers = host::Numbers<f32>;

/// Takes memory for so many.
pub(in super::super) fn blank(n: usize) -> Result<Numbers> {
    host::blank(n)
}

/// Returns the numbers of a storage.
pub(in super::super) fn slice(storage: &dyn Storage) -> &[f32] {
    all(storage)
}

/// Makes a storage of numbers.
pub(in super::super) fn shared(numbers: Numbers) -> Shared {
    Host::shared(numbers)
}

/// Joins the numbers of a block to those before.
pub(in super::super) fn join(is_sum: bool, before: f64, x: &[f32]) -> f64 {
    match is_sum {
        true => before + sum(x),
        false => larger(before, most(x).into()),
    }
}

/// Joins each number to those before at its place.
pub(in super::super) fn join_each(is_sum: bool, all: &mut [f64], x: &[f32]) {
    let pairs = all.iter_mut().zip(x);
    match is_sum {
        true => pairs.for_each(|(sum, x)| *sum += f64::from(*x)),
        false => pairs.for_each(|(most, x)| *most = larger(*most, (*x).into())),
    }
}

fn larger(x: f64, y: f64) -> f64 {
    if y > x || y.is_nan() { y } else { x }
}

/// A block, and where its results go.
struct Block<'a>(Fma, &'a [f32], &'a mut [f32]);

impl Each<f32> for Block<'_> {
    type Made = ();

    #[inline(always)]
    fn each(self, f: impl Fn(Fma, f32) -> f32) {
        let Block(fma, x, out) = self;
        // A closure here would be compiled once, for every processor.
        for (out, x) in out.iter_mut().zip(x) {
            *out = f(fma, *x);
        }
    }
}

/// Applies an operation to each number.
#[inline(always)]
pub(in super::super) fn unary(fma: Fma, op: Unary, x: &[f32], out: &mut [f32]) {
    elementwise::unary(op, Block(fma, x, out));
}

/// Two blocks, and where the results go.
struct Two<'a>(&'a [f32], &'a [f32], &'a mut [f32]);

impl Pairs<f32> for Two<'_> {
    type Made = ();

    #[inline(always)]
    fn pairs(self, f: impl Fn(f32, f32) -> f32) {
        let Two(x, y, out) = self;
        for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
            *out = f(*x, *y);
        }
    }
}

/// Applies an operation to each pair.
#[inline(always)]
pub(in super::super) fn binary(
    op: Binary,
    x: &[f32],
    y: &[f32],
    out: &mut [f32],
) {
    elementwise::binary(op, Two(x, y, out));
}
