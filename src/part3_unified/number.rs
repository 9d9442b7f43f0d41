//! Numbers of three sizes, built in the chapter of this name: what a tensor is
//! made of and read as, and what is computed with.

use std::fmt::Debug;

use num_traits::Float;

use super::{Backend, DType, Shared, Storage};
use crate::error::{Result, room};
use crate::half::F16;
use crate::shape::Printed;

// ANCHOR: element
/// What a tensor can hold: `f32`, `f64`, and [`F16`], which Rust has not.
pub trait Element:
    Copy + Default + PartialOrd + Debug + Printed + Send + Sync + 'static
{
    /// The type, as a storage says it.
    const DTYPE: DType;

    /// Returns the nearest number of this type.
    fn nearest(x: f64) -> Self;

    /// Does the same of a number in 32 bits.
    fn nearest_f32(x: f32) -> Self;

    /// Returns the nearest number of another type.
    fn cast<T: Element>(self) -> T;

    /// Returns the same number in 64 bits.
    #[inline(always)]
    fn wide(self) -> f64 {
        self.cast()
    }

    /// Copies numbers to a device.
    fn upload(values: &[Self], backend: &dyn Backend) -> Result<Shared>;

    /// Copies numbers of this type, or of one that fits into it, to the host.
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

/// Returns the nearest numbers of another type.
pub(super) fn converted<A: Element, B: Element>(
    values: &[A],
) -> Result<Vec<B>> {
    let mut out = room(values.len())?;
    out.extend(values.iter().map(|x| x.cast::<B>()));
    Ok(out)
}

/// Does some work for the type of numbers that is asked for.
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
                type $T = $crate::half::F16;
                $work
            }
        }
    };
}
pub(super) use with_type;

// ANCHOR: real
/// What a processor computes with. An [`F16`] becomes an `f32` first.
pub trait Real: Element + Float {
    /// Computes the error function.
    fn erf(self) -> Self;

    /// Rounds to the nearest whole number; of two to the even one.
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
