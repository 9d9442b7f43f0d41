//! Storages and index lists whose buffers come from a pool.

use std::fmt;
use std::sync::Arc;

use super::pool::Pool;
use super::{DType, OpenCl, Storage, WORD, buffer_len};
use crate::error::Result;
use crate::ledger;
use crate::opencl::{Buffer, Gpu};

/// A storage whose buffer returns to the pool when it is dropped.
pub(super) struct Pooled {
    /// `None` only during drop. The buffer may be longer than the storage. It
    /// is allocated in words of `f32`, whatever the element type is.
    buffer: Option<Buffer<f32>>,
    dtype: DType,
    len: usize,
    device: &'static OpenCl,
}

impl Pooled {
    pub(super) fn new(
        device: &'static OpenCl,
        buffer: Buffer<f32>,
        dtype: DType,
        len: usize,
    ) -> Pooled {
        ledger::count(|counts| counts.storages += 1);
        Pooled { buffer: Some(buffer), dtype, len, device }
    }

    pub(super) fn buffer(&self) -> &Buffer<f32> {
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Storage for Pooled {
    fn len(&self) -> usize {
        self.len
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        ledger::count(|counts| counts.storages_freed += 1);
        if let Some(buffer) = self.buffer.take() {
            let words = (self.len * self.dtype.size()).div_ceil(WORD);
            self.device.pool.give_back(buffer, words);
        }
    }
}

impl fmt::Debug for Pooled {
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
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Drop for DeviceIndices {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.give_back(buffer, self.len);
        }
    }
}
