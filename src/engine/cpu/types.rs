//! Conversion between element types.

use super::real::HostElement;
use super::walk::{ANY_SPLIT, READ_COST, fill};
use super::{Array, DType, Shared, all, compact, dense};
use crate::error::Result;
use crate::part3_unified::{Element, with_type};

/// Stores values as type `B`, each rounded to the nearest value of `B`.
pub(super) fn stored_as<A: Element, B: HostElement>(
    values: &[A],
) -> Result<Shared> {
    fill(values.len(), ANY_SPLIT, READ_COST, &|from, out: &mut [B]| {
        let pairs = out.iter_mut().zip(&values[from..]);
        pairs.for_each(|(out, x)| *out = x.cast());
    })
}

/// Computes [`Backend::cast`](super::Backend::cast).
pub(super) fn cast(a: &Array, dtype: DType) -> Result<Shared> {
    let a = compact(a)?;
    with_type!(a.dtype(), A => {
        let values = dense::<A>(&a);
        with_type!(dtype, B => stored_as::<A, B>(values))
    })
}

/// Converts an array to `f32`. If its view covers the whole storage, or
/// repeats elements, the storage is converted and the view stays the same.
pub(super) fn widened(a: &Array) -> Result<Array> {
    a.to_dtype(DType::F32)
}

/// Implemented for one storage and for two.
pub(super) trait Wide: Sized {
    /// Rounds `f32` elements to `f16`.
    fn narrowed(self) -> Result<Self>;
}

impl Wide for Shared {
    fn narrowed(self) -> Result<Shared> {
        with_type!(DType::F16, B => stored_as::<f32, B>(all::<f32>(&*self)))
    }
}

impl Wide for [Shared; 2] {
    fn narrowed(self) -> Result<[Shared; 2]> {
        let [first, second] = self;
        Ok([first.narrowed()?, second.narrowed()?])
    }
}
