//! Elements of each type in the buffers of the pool: allocation, upload,
//! download, and kernel arguments.

use std::sync::Arc;

use super::{Array, DType, Launch, OpenCl, Pooled, Shared, Storage, Types};
use super::{Unary, WORD, buffer_len, downcast, kernels};
use crate::error::{Error, Result};
use crate::opencl::{DeviceInfo, Scalar, Stored};
use crate::part3_unified::{Element, with_type};

impl OpenCl {
    /// Allocates a storage of `n` elements from this device's pool.
    pub(super) fn allocate(&self, dtype: DType, n: usize) -> Result<Pooled> {
        check_type(self.gpu.info(), dtype)?;
        let device = OpenCl::open(self.gpu.info().index)?;
        let words = buffer_len(n).saturating_mul(dtype.size()).div_ceil(WORD);
        let buffer = self.pool.take(&self.gpu, words)?;
        check_count(dtype, n)?;
        Ok(Pooled::new(device, buffer, dtype, buffer_len(n)))
    }

    /// Uploads values to a new storage.
    pub(super) fn send<T: Element + Stored>(
        &self,
        values: &[T],
    ) -> Result<Shared> {
        let out = self.allocate(T::DTYPE, values.len())?;
        if !values.is_empty() {
            out.buffer().write_first(values)?;
        }
        Ok(Arc::new(out))
    }
}

impl OpenCl {
    /// Applies `op` to each element and stores the results as type `to`.
    pub(super) fn unary_to(
        &self,
        op: Unary,
        a: &Array,
        to: DType,
    ) -> Result<Shared> {
        let kernel = kernels::unary(op);
        let number = scalar_of(a.dtype(), op.number().unwrap_or_default());
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

/// Returns a kernel argument in the type that a kernel for `dtype` computes
/// in.
pub(super) fn scalar_of(dtype: DType, value: f64) -> Scalar {
    match dtype {
        DType::F64 => Scalar::F64(value),
        _ => Scalar::F32(value as f32),
    }
}

/// Checks that a device can compute with a type.
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

/// Checks that a kernel can count `n` elements in a `uint`. A buffer of fewer
/// than 2^32 words can hold more than 2^32 `f16` elements.
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

/// Downloads the elements of a storage.
pub(super) fn fetched<T: Stored>(storage: &dyn Storage) -> Result<Vec<T>> {
    let storage = downcast::<Pooled>(storage);
    storage.buffer().read_first(storage.len())
}

/// Adds storages as arguments of a launch.
pub(super) trait ArrayArgs<'a> {
    /// Adds the storage of an array that the kernel reads.
    fn reads(self, a: &'a Array) -> Self;
    /// Adds a storage that the kernel writes.
    fn writes(self, out: &'a Pooled) -> Self;
}

impl<'a> ArrayArgs<'a> for Launch<'a> {
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
