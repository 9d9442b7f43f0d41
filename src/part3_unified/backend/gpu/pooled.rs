//! Numbers, and indices, in a buffer of a pool.

use std::fmt;
use std::sync::Arc;

use super::super::pool::Pool;
use super::{DType, OpenCl, Storage, WORD, room};
use crate::error::Result;
use crate::ledger;
use crate::opencl::{Buffer, Gpu};

/// A storage whose buffer goes back to the pool.
pub(super) struct Pooled {
    /// Empty only while it is dropped, and perhaps longer than the numbers. Its
    /// words hold them, whatever their type is.
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

/// Indices on the device, whose buffer goes back to the pool.
pub(in super::super) struct Places {
    /// Empty only while it is dropped.
    buffer: Option<Buffer<u32>>,
    len: usize,
    pool: Arc<Pool<u32>>,
}

impl Places {
    /// Sends them.
    pub(super) fn new(
        pool: &Arc<Pool<u32>>,
        gpu: &Gpu,
        places: &[usize],
    ) -> Result<Places> {
        let places: Vec<u32> = places.iter().map(|&at| at as u32).collect();
        let len = room(places.len());
        let buffer = pool.take(gpu, len)?;
        if !places.is_empty() {
            buffer.write_first(&places)?;
        }
        Ok(Places { buffer: Some(buffer), len, pool: Arc::clone(pool) })
    }

    /// Counts them.
    pub(in super::super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn buffer(&self) -> &Buffer<u32> {
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.give_back(buffer, self.len);
        }
    }
}
