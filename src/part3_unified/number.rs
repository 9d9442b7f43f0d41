//! The element types, built in "Numbers of three sizes": [`Element`] for what
//! a tensor can store, [`Real`] for what the CPU computes with.

use std::fmt::Debug;

use num_traits::Float;

use super::{Backend, DType, Shared, Storage};
use crate::error::{Result, room};
use crate::half::F16;
use crate::shape::Printed;

// ANCHOR: element
/// A type that a tensor can store: `f32`, `f64`, or [`F16`], which stable Rust
/// does not have.
pub trait Element:
    Copy + Default + PartialOrd + Debug + Printed + Send + Sync + 'static
{
    /// The type as a [`DType`].
    const DTYPE: DType;

    /// Rounds a number to this type.
    fn nearest(x: f64) -> Self;

    /// Rounds an `f32` to this type.
    fn nearest_f32(x: f32) -> Self;

    /// Converts the number to another type, rounding to nearest.
    fn cast<T: Element>(self) -> T;

    /// Converts the number to `f64`, which is exact.
    #[inline(always)]
    fn wide(self) -> f64 {
        self.cast()
    }

    /// Copies elements to a device.
    fn upload(values: &[Self], backend: &dyn Backend) -> Result<Shared>;

    /// Copies elements of this type, or of a narrower one, to the host.
    fn download(
        storage: &dyn Storage,
        backend: &dyn Backend,
    ) -> Result<Vec<Self>>;
}
// ANCHOR_END: element

impl Element for f32 {
    const DTYPE: DType = DType::F32;

    #[inline(always)]
    fn nearest(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn nearest_f32(x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn cast<T: Element>(self) -> T {
        T::nearest_f32(self)
    }

    fn upload(values: &[f32], backend: &dyn Backend) -> Result<Shared> {
        backend.upload(values, DType::F32)
    }

    fn download(
        storage: &dyn Storage,
        backend: &dyn Backend,
    ) -> Result<Vec<f32>> {
        backend.download(storage)
    }
}

impl Element for f64 {
    const DTYPE: DType = DType::F64;

    #[inline(always)]
    fn nearest(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn nearest_f32(x: f32) -> f64 {
        x.into()
    }

    #[inline(always)]
    fn cast<T: Element>(self) -> T {
        T::nearest(self)
    }

    fn upload(values: &[f64], backend: &dyn Backend) -> Result<Shared> {
        backend.upload_f64(values)
    }

    fn download(
        storage: &dyn Storage,
        backend: &dyn Backend,
    ) -> Result<Vec<f64>> {
        match storage.dtype() {
            DType::F64 => backend.download_f64(storage),
            _ => converted(&backend.download(storage)?),
        }
    }
}

impl Element for F16 {
    const DTYPE: DType = DType::F16;

    #[inline(always)]
    fn nearest(x: f64) -> F16 {
        F16::round_f64(x)
    }

    #[inline(always)]
    fn nearest_f32(x: f32) -> F16 {
        F16::round(x)
    }

    #[inline(always)]
    fn cast<T: Element>(self) -> T {
        T::nearest_f32(self.into())
    }

    fn upload(values: &[F16], backend: &dyn Backend) -> Result<Shared> {
        backend.upload(&converted(values)?, DType::F16)
    }

    fn download(
        storage: &dyn Storage,
        backend: &dyn Backend,
    ) -> Result<Vec<F16>> {
        converted(&backend.download(storage)?)
    }
}

/// Converts elements to another type, rounding to nearest.
pub fn converted<A: Element, B: Element>(values: &[A]) -> Result<Vec<B>> {
    let mut out = room(values.len())?;
    out.extend(values.iter().map(|x| x.cast::<B>()));
    Ok(out)
}

/// Evaluates an expression with the Rust type of a
/// [`DType`](crate::part3_unified::DType).
///
/// ```
/// use rungrad::part3_unified::{DType, with_type};
///
/// let bytes = with_type!(DType::F64, T => size_of::<T>());
/// assert_eq!(bytes, 8);
/// ```
#[macro_export]
macro_rules! with_type {
    ($dtype:expr, $T:ident => $work:expr) => {
        match $dtype {
            $crate::part3_unified::DType::F32 => {
                type $T = f32;
                $work
            }
            $crate::part3_unified::DType::F64 => {
                type $T = f64;
                $work
            }
            $crate::part3_unified::DType::F16 => {
                type $T = $crate::part3_unified::F16;
                $work
            }
        }
    };
}
pub use with_type;

// ANCHOR: real
/// A type that the CPU computes with. [`F16`] elements are converted to `f32`
/// first.
pub trait Real: Element + Float {
    /// Computes the error function.
    fn erf(self) -> Self;

    /// Rounds to the nearest integer, and half-way cases to the even one.
    fn round_ties_even(self) -> Self;
}
// ANCHOR_END: real

impl Real for f32 {
    fn erf(self) -> f32 {
        libm::erff(self)
    }

    fn round_ties_even(self) -> f32 {
        f32::round_ties_even(self)
    }
}

impl Real for f64 {
    fn erf(self) -> f64 {
        libm::erf(self)
    }

    fn round_ties_even(self) -> f64 {
        f64::round_ties_even(self)
    }
}
