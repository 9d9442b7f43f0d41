//! Operations on blocks of elements. The lazy device applies several of them
//! to a block while it is in the cache.

pub(crate) use super::elementary::Fma;
use super::elementwise::{self, Each, Pairs};
use super::host::{self, Host};
use super::{Binary, Shared, Storage, Unary, elements, max, sum};
use crate::error::Result;

/// Host memory for `f32`, the only type whose evaluation is deferred.
pub(crate) type HostVec = host::HostVec<f32>;

/// Allocates memory for `n` elements with unspecified values.
pub(crate) fn blank(n: usize) -> Result<HostVec> {
    host::blank(n)
}

/// Returns the elements of a storage.
pub(crate) fn slice(storage: &dyn Storage) -> &[f32] {
    elements(storage)
}

/// Creates a storage from its elements.
pub(crate) fn shared(values: HostVec) -> Shared {
    Host::shared(values)
}

/// Reduces a block into the accumulator `before`: a sum or a maximum.
pub(crate) fn reduce(is_sum: bool, before: f64, x: &[f32]) -> f64 {
    if is_sum { before + sum(x) } else { larger(before, max(x).into()) }
}

/// Reduces each element of a block into the accumulator at its index.
pub(crate) fn reduce_each(is_sum: bool, all: &mut [f64], x: &[f32]) {
    let pairs = all.iter_mut().zip(x);
    if is_sum {
        pairs.for_each(|(sum, x)| *sum += f64::from(*x))
    } else {
        pairs.for_each(|(max, x)| *max = larger(*max, (*x).into()))
    }
}

fn larger(x: f64, y: f64) -> f64 {
    if y > x || y.is_nan() { y } else { x }
}

/// The operand block and the result block of a unary operation.
struct UnaryBlock<'a>(Fma, &'a [f32], &'a mut [f32]);

impl Each<f32> for UnaryBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn each(self, f: impl Fn(Fma, f32) -> f32) {
        let UnaryBlock(fma, x, out) = self;
        // A `for` loop, because the body of a `for_each` closure would not be
        // compiled for the registers that the caller is compiled for.
        for (out, x) in out.iter_mut().zip(x) {
            *out = f(fma, *x);
        }
    }
}

/// Applies an operation to each element of a block.
#[inline(always)]
pub(crate) fn unary(fma: Fma, op: Unary, x: &[f32], out: &mut [f32]) {
    elementwise::unary(op, UnaryBlock(fma, x, out));
}

/// The operand blocks and the result block of a binary operation.
struct BinaryBlock<'a>(&'a [f32], &'a [f32], &'a mut [f32]);

impl Pairs<f32> for BinaryBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn pairs(self, f: impl Fn(f32, f32) -> f32) {
        let BinaryBlock(x, y, out) = self;
        for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
            *out = f(*x, *y);
        }
    }
}

/// Applies an operation to each pair of elements of two blocks.
#[inline(always)]
pub(crate) fn binary(op: Binary, x: &[f32], y: &[f32], out: &mut [f32]) {
    elementwise::binary(op, BinaryBlock(x, y, out));
}
