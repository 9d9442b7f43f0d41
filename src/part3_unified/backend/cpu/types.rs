//! From one type of numbers to another.

use super::super::super::number::{Element, with_type};
use super::real::Kept;
use super::walk::{ANYWHERE, ONCE, fill};
use super::{Array, DType, Shared, all, compact, dense};
use crate::error::Result;

/// Keeps numbers as another type: each becomes the nearest of it.
pub(super) fn kept<A: Element, B: Kept>(values: &[A]) -> Result<Shared> {
    fill(values.len(), ANYWHERE, ONCE, &|from, out: &mut [B]| {
        let pairs = out.iter_mut().zip(&values[from..]);
        pairs.for_each(|(out, x)| *out = x.cast());
    })
}

/// Computes [`Backend::cast`](super::Backend::cast).
pub(super) fn cast(a: &Array, dtype: DType) -> Result<Shared> {
    let a = compact(a)?;
    with_type!(a.dtype(), A => {
        let values = dense::<A>(&a);
        with_type!(dtype, B => kept::<A, B>(values))
    })
}

/// Returns the same array in 32 bits. Where it shows all numbers of its
/// storage, or some of them often, they are seen as before.
pub(super) fn widened(a: &Array) -> Result<Array> {
    a.to_dtype(DType::F32)
}

/// One storage, or two.
pub(super) trait Wide: Sized {
    /// Rounds the numbers to 16 bits.
    fn narrowed(self) -> Result<Self>;
}

impl Wide for Shared {
    fn narrowed(self) -> Result<Shared> {
        with_type!(DType::F16, B => kept::<f32, B>(all::<f32>(&*self)))
    }
}

impl Wide for [Shared; 2] {
    fn narrowed(self) -> Result<[Shared; 2]> {
        let [first, second] = self;
        Ok([first.narrowed()?, second.narrowed()?])
    }
}
