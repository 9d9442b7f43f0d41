//! Buffers of elements: where a storage comes from and where it returns to.
//!
//! [`OpenCl::allocate`] takes a buffer from a [`Pool`], built in "Eight
//! functions, one dispatch". Allocating on a device takes longer than a small
//! computation, and a training step allocates the same sizes again and again.
//! A buffer that is no longer used is therefore cached until a buffer of about
//! its length is requested. Reuse is safe because the device's queue is in
//! order: pending reads of a buffer finish before its next user writes to it.
//! [`PendingRead`] is not part of this order, so it keeps its storage alive.
//!
//! A live buffer also costs host memory in the driver. PoCL holds 480 bytes
//! for each buffer and 440 for the last command that used it, until the buffer
//! is released. A chain of operations therefore grows by a constant number of
//! bytes per operation. The resident memory of a short chain does not show
//! this, because PoCL first reuses the heap that its compiler has freed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Array, DType, Launch, Memory, OpenCl, Shared, Storage, downcast};
use crate::error::{Error, Result};
use crate::ledger;
use crate::opencl::{
    Buffer, DeviceInfo, Element, Gpu, Scalar, StagedRead, Stored,
};
use crate::part3_unified::{self, PendingRead, with_type};

/// Bytes per element of the pool's buffers, whatever type they hold.
const WORD: usize = size_of::<f32>();

/// The minimum size of an upload through staging memory, in bytes. A smaller one
/// costs the host no wait.
const MIN_STAGED: usize = 1 << 16;

/// Returns the length of a buffer for `n` elements: at least 1, because OpenCL
/// has no empty buffers.
const fn buffer_len(n: usize) -> usize {
    if n == 0 { 1 } else { n }
}

impl OpenCl {
    /// Allocates a storage of `n` elements from this device's pool.
    pub(super) fn allocate(
        &self,
        dtype: DType,
        n: usize,
    ) -> Result<PooledStorage> {
        check_type(self.gpu.info(), dtype)?;
        let device = OpenCl::open(self.gpu.info().index)?;
        let words = buffer_len(n).saturating_mul(dtype.size()).div_ceil(WORD);
        let buffer = self.pool.take(&self.gpu, words)?;
        check_count(dtype, n)?;
        Ok(PooledStorage::new(device, buffer, dtype, buffer_len(n)))
    }

    /// Uploads values to a new storage.
    pub(super) fn upload_values<T: part3_unified::Element + Stored>(
        &self,
        values: &[T],
    ) -> Result<Shared> {
        let out = self.allocate(T::DTYPE, values.len())?;
        if !values.is_empty() {
            out.buffer().write_first(values)?;
        }
        Ok(Arc::new(out))
    }

    /// Like [`OpenCl::upload_values`], but the host waits for the device only
    /// if it has to.
    pub(super) fn start_upload(&self, values: &[f32]) -> Result<Shared> {
        if size_of_val(values) < MIN_STAGED {
            return self.upload_values(values);
        }
        let out = self.allocate(DType::F32, values.len())?;
        if !out.buffer().start_write(values)? {
            out.buffer().write_first(values)?;
        }
        Ok(Arc::new(out))
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
pub(super) fn download<T: Stored>(storage: &dyn Storage) -> Result<Vec<T>> {
    let storage = downcast::<PooledStorage>(storage);
    storage.buffer().read_first(storage.len())
}

/// Starts to download the elements of a storage, if that is possible.
pub(super) fn start_download(
    storage: &dyn Storage,
) -> Result<Option<PendingRead>> {
    let storage = downcast::<PooledStorage>(storage);
    if storage.dtype != DType::F32 {
        return Ok(None);
    }
    let read = storage.buffer().start_read(storage.len())?;
    let pending = |read: StagedRead| {
        PendingRead::new(move |values| read.append_to(values))
    };
    Ok(read.map(pending))
}

/// Adds storages as arguments of a launch.
pub(super) trait ArrayArgs<'a> {
    /// Adds the storage of an array that the kernel reads.
    fn reads(self, a: &'a Array) -> Self;
    /// Adds a storage that the kernel writes.
    fn writes(self, out: &'a PooledStorage) -> Self;
}

impl<'a> ArrayArgs<'a> for Launch<'a> {
    fn reads(self, a: &'a Array) -> Launch<'a> {
        let storage = downcast::<PooledStorage>(&**a.storage());
        with_type!(a.dtype(), T => self.input_as::<T>(storage.buffer()))
    }

    fn writes(self, out: &'a PooledStorage) -> Launch<'a> {
        with_type!(out.dtype(), T => self.output_as::<T>(out.buffer()))
    }
}

/// A storage whose buffer returns to the pool when it is dropped.
pub(super) struct PooledStorage {
    /// `None` only during drop. The buffer may be longer than the storage. It
    /// is allocated in words of `f32`, whatever the element type is.
    buffer: Option<Buffer<f32>>,
    dtype: DType,
    len: usize,
    device: &'static OpenCl,
}

impl PooledStorage {
    pub(super) fn new(
        device: &'static OpenCl,
        buffer: Buffer<f32>,
        dtype: DType,
        len: usize,
    ) -> PooledStorage {
        ledger::count(|counts| counts.storages += 1);
        PooledStorage { buffer: Some(buffer), dtype, len, device }
    }

    pub(super) fn buffer(&self) -> &Buffer<f32> {
        self.buffer.as_ref().expect("the buffer is taken only on drop")
    }
}

impl Storage for PooledStorage {
    fn len(&self) -> usize {
        self.len
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

impl Drop for PooledStorage {
    fn drop(&mut self) {
        ledger::count(|counts| counts.storages_freed += 1);
        if let Some(buffer) = self.buffer.take() {
            let words = (self.len * self.dtype.size()).div_ceil(WORD);
            self.device.pool.give_back(buffer, words);
        }
    }
}

impl fmt::Debug for PooledStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, dtype, gpu) = (self.len, self.dtype, self.buffer().gpu());
        write!(f, "{len} {dtype} on {gpu:?}")
    }
}

/// Indices on the device. Their buffer returns to the pool when they are
/// dropped.
pub(crate) struct DeviceIndices {
    /// `None` only during drop.
    buffer: Option<Buffer<u32>>,
    len: usize,
    pool: Arc<Pool<u32>>,
}

impl DeviceIndices {
    /// Uploads indices.
    pub(super) fn new(
        pool: &Arc<Pool<u32>>,
        gpu: &Gpu,
        indices: &[usize],
    ) -> Result<DeviceIndices> {
        let indices: Vec<u32> = indices.iter().map(|&i| i as u32).collect();
        let len = buffer_len(indices.len());
        let buffer = pool.take(gpu, len)?;
        if !indices.is_empty() {
            buffer.write_first(&indices)?;
        }
        Ok(DeviceIndices { buffer: Some(buffer), len, pool: Arc::clone(pool) })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn buffer(&self) -> &Buffer<u32> {
        self.buffer.as_ref().expect("the buffer is taken only on drop")
    }
}

impl Drop for DeviceIndices {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.give_back(buffer, self.len);
        }
    }
}

// ANCHOR: class
/// Returns the size class for a request of `len` elements: the length of the
/// buffer that is allocated. There are four classes between a power of two and
/// the next, so at most a fifth of a buffer is unused.
fn class(len: usize) -> usize {
    let step = (len.next_power_of_two() / 8).max(1);
    len.next_multiple_of(step)
}
// ANCHOR_END: class

/// Unused buffers, by their length.
pub(super) struct Pool<T: Element> {
    cache: Mutex<Cache<T>>,
    /// The maximum number of bytes in the cache.
    limit: u64,
}

struct Cache<T: Element> {
    buffers: HashMap<usize, Vec<Buffer<T>>>,
    /// Bytes in the cache.
    bytes: u64,
    /// Bytes in use now and at the peak.
    used: u64,
    peak: u64,
}

impl<T: Element> Pool<T> {
    pub(super) fn new(limit: u64) -> Pool<T> {
        let cache =
            Cache { buffers: HashMap::new(), bytes: 0, used: 0, peak: 0 };
        Pool { cache: Mutex::new(cache), limit }
    }
}

// ANCHOR: take
impl<T: Element> Pool<T> {
    /// Returns a buffer for `len` elements, from the cache if possible.
    pub(super) fn take(&self, gpu: &Gpu, len: usize) -> Result<Buffer<T>> {
        let mut cache = self.lock();
        let found = cache.buffers.get_mut(&class(len)).and_then(Vec::pop);
        let buffer = match found {
            Some(buffer) => {
                cache.bytes -= bytes::<T>(buffer.len());
                buffer
            }
            None => gpu.allocate(class(len)).or_else(|_| {
                // Free the cached buffers and retry.
                cache.buffers.clear();
                cache.bytes = 0;
                gpu.allocate(len)
            })?,
        };
        cache.use_more(bytes::<T>(len));
        Ok(buffer)
    }
}
// ANCHOR_END: take

impl<T: Element> Pool<T> {
    /// Counts a buffer that was allocated elsewhere and will be returned to
    /// this pool.
    pub(super) fn adopt(&self, buffer: &Buffer<T>) {
        self.lock().use_more(bytes::<T>(buffer.len()));
    }

    /// Returns a buffer to the pool, of which `len` elements were in use.
    pub(super) fn give_back(&self, mut buffer: Buffer<T>, len: usize) {
        buffer.discard_contents();
        let mut cache = self.lock();
        cache.used -= bytes::<T>(len);
        let cached_bytes = cache.bytes + bytes::<T>(buffer.len());
        // `take` looks up size classes only, so no other length is reused.
        if cached_bytes <= self.limit && class(buffer.len()) == buffer.len() {
            cache.bytes = cached_bytes;
            cache.buffers.entry(buffer.len()).or_default().push(buffer);
        }
    }

    /// Returns the bytes in use now and at the peak, and the bytes cached.
    pub(super) fn memory(&self) -> Memory {
        let Cache { bytes: cached, used: now, peak, .. } = *self.lock();
        Memory { now, peak, cached }
    }

    /// Locks the cache. Poison is ignored, because a panic in a holder leaves
    /// the counts consistent.
    fn lock(&self) -> MutexGuard<'_, Cache<T>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Element> Cache<T> {
    fn use_more(&mut self, bytes: u64) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

fn bytes<T>(len: usize) -> u64 {
    size_of::<T>() as u64 * len as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::devices;

    #[test]
    fn a_buffer_is_at_most_a_quarter_longer_than_requested() {
        for len in (1..3000).chain([1_000_000, (1 << 30) + 1]) {
            let class = class(len);
            assert!((len..=len + len / 4).contains(&class), "{len}: {class}");
            assert_eq!(super::class(class), class, "{len}");
        }
    }

    /// Promise: A device without `f64` says so and says what to do.
    #[test]
    fn a_device_without_f64_suggests_a_remedy() {
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
