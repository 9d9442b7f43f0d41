//! Numbers of each type in the words of a buffer: how they come there, go back,
//! and are given to a kernel.

use std::sync::Arc;

use super::super::super::number::{Element, with_type};
use super::{Array, DType, Launch, OpenCl, Pooled, Shared, Storage, Types};
use super::{Unary, WORD, downcast, kernels, room};
use crate::error::{Error, Result};
use crate::opencl::{DeviceInfo, Scalar, Stored};

impl OpenCl {
    /// Takes room for `n` numbers of a type from this device's pool, to which
    /// it goes back when nobody uses it any more.
    pub(super) fn take(&self, dtype: DType, n: usize) -> Result<Pooled> {
        check_type(self.gpu.info(), dtype)?;
        let device = OpenCl::open(self.gpu.info().index)?;
        let words = room(n).saturating_mul(dtype.size()).div_ceil(WORD);
        let buffer = self.pool.take(&self.gpu, words)?;
        check_count(dtype, n)?;
        Ok(Pooled::new(device, buffer, dtype, room(n)))
    }

    /// Sends numbers to a new storage.
    pub(super) fn send<T: Element + Stored>(
        &self,
        values: &[T],
    ) -> Result<Shared> {
        let out = self.take(T::DTYPE, values.len())?;
        if !values.is_empty() {
            out.buffer().write_first(values)?;
        }
        Ok(Arc::new(out))
    }
}

impl OpenCl {
    /// Computes `op` of each element, to be kept as a type.
    pub(super) fn unary_to(
        &self,
        op: Unary,
        a: &Array,
        to: DType,
    ) -> Result<Shared> {
        let (kernel, number) = kernels::unary(op);
        let number = number_of(a.dtype(), number);
        let (a, n) = (a.compact()?, a.len());
        let types = Types { from: a.dtype(), to };
        self.fill(to, n, |out| {
            self.pieces(&kernel, types, n)
                .reads(&a)
                .scalar(a.offset() as u32)
                .scalar(number)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }
}

/// Gives a number to a kernel for some type, as what it computes in.
pub(super) fn number_of(dtype: DType, number: f64) -> Scalar {
    match dtype {
        DType::F64 => Scalar::F64(number),
        _ => Scalar::F32(number as f32),
    }
}

/// Checks that a device can compute with a type of numbers.
fn check_type(info: &DeviceInfo, dtype: DType) -> Result<()> {
    if dtype == DType::F64 && !info.supports_f64 {
        return Err(Error::Device(format!(
            "{info} computes with no f64, because its driver lacks \
             cl_khr_fp64: do that on the processor, or change the numbers by \
             `.to_dtype(DType::F32)`"
        )));
    }
    Ok(())
}

/// Checks that a kernel can count so many: there may be more halves than words
/// in a buffer.
fn check_count(dtype: DType, n: usize) -> Result<()> {
    match u32::try_from(n) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Device(format!(
            "{n} {dtype} are more than a kernel's uint can count ({}): split \
             the work.",
            u32::MAX
        ))),
    }
}

/// Copies the numbers of a storage to the host.
pub(super) fn fetched<T: Stored>(storage: &dyn Storage) -> Result<Vec<T>> {
    let storage = downcast::<Pooled>(storage);
    storage.buffer().read_first(storage.len())
}

/// Numbers of a storage as arguments of a launch.
pub(super) trait Numbers<'a> {
    /// Adds an array's storage, to be read.
    fn reads(self, a: &'a Array) -> Self;
    /// Adds a storage, to be written.
    fn writes(self, out: &'a Pooled) -> Self;
}

impl<'a> Numbers<'a> for Launch<'a> {
    fn reads(self, a: &'a Array) -> Launch<'a> {
        let storage = downcast::<Pooled>(&**a.storage());
        with_type!(a.dtype(), T => self.input_as::<T>(storage.buffer()))
    }

    fn writes(self, out: &'a Pooled) -> Launch<'a> {
        with_type!(out.dtype(), T => self.output_as::<T>(out.buffer()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::devices;

    /// Promise: A device without `f64` says so and says what to do.
    #[test]
    fn a_device_without_f64_says_so_and_what_to_do() {
        let Ok([device, ..]) = devices() else { return };
        let mut bare = device.clone();
        bare.supports_f64 = false;
        assert!(check_type(&bare, DType::F32).is_ok());
        assert!(check_type(&bare, DType::F16).is_ok());
        let error = check_type(&bare, DType::F64).unwrap_err().to_string();
        let words = "computes with no f64, because its driver lacks \
                     cl_khr_fp64: do that on the processor, or change the \
                     numbers by `.to_dtype(DType::F32)`";
        assert!(error.ends_with(words), "{error}");
        let most = u32::MAX as usize;
        assert!(check_count(DType::F16, most).is_ok());
        let error = check_count(DType::F16, most + 1).unwrap_err();
        assert!(error.to_string().contains("more than a kernel's uint"));
    }
}
