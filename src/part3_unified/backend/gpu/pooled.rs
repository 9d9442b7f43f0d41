//! Numbers, and indices, in a buffer of a pool.

use std::fmt;
use std::sync::Arc;

use super::{OpenCl, Shared, Storage};
use crate::ledger;
use crate::opencl::Buffer;

/// A storage whose buffer goes back to the pool.
pub(super) struct Pooled {
    /// Empty only while it is dropped, and perhaps longer than `len`.
    buffer: Option<Buffer<f32>>,
    len: usize,
    device: &'static OpenCl,
}

impl Pooled {
    pub(super) fn shared(
        device: &'static OpenCl,
        buffer: Buffer<f32>,
        len: usize,
    ) -> Shared {
        ledger::count(|counts| counts.storages += 1);
        Arc::new(Pooled { buffer: Some(buffer), len, device })
    }

    pub(super) fn buffer(&self) -> &Buffer<f32> {
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Storage for Pooled {
    fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        ledger::count(|counts| counts.storages_freed += 1);
        if let Some(buffer) = self.buffer.take() {
            self.device.pool.give_back(buffer, self.len);
        }
    }
}

impl fmt::Debug for Pooled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer().fmt(f)
    }
}

/// Indices on the device for one launch, whose buffer goes back to the pool.
pub(super) struct Places<'a> {
    /// Empty only while it is dropped.
    pub(super) buffer: Option<Buffer<u32>>,
    pub(super) len: usize,
    pub(super) of: &'a OpenCl,
}

impl Places<'_> {
    pub(super) fn buffer(&self) -> &Buffer<u32> {
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Drop for Places<'_> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.of.indices.give_back(buffer, self.len);
        }
    }
}
