//! Buffers that are used again, built in "Eight functions, one dispatch".
//!
//! To allocate on a device takes longer than to compute a little there, and
//! a training step asks for the same sizes again and again. So a buffer that
//! nobody uses waits here for the next one who asks for its length. The
//! device's queue is in order: what is still to be read from a buffer is
//! read before its next user writes to it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Memory;
use crate::error::Result;
use crate::opencl::{Buffer, Gpu};

/// The buffers that wait, by their length.
pub(super) struct Pool {
    waiting: Mutex<Waiting>,
    /// The most bytes that may wait.
    limit: u64,
}

#[derive(Default)]
struct Waiting {
    buffers: HashMap<usize, Vec<Buffer<f32>>>,
    bytes: u64,
    /// Bytes in use, and the most that there ever were.
    used: u64,
    peak: u64,
}

impl Pool {
    pub(super) fn new(limit: u64) -> Pool {
        Pool { waiting: Mutex::default(), limit }
    }
}

// ANCHOR: take
impl Pool {
    /// A buffer of this length that has waited, or else a new one.
    pub(super) fn take(&self, gpu: &Gpu, len: usize) -> Result<Buffer<f32>> {
        let mut waiting = self.lock();
        let found = waiting.buffers.get_mut(&len).and_then(Vec::pop);
        let buffer = match found {
            Some(buffer) => {
                waiting.bytes -= bytes(&buffer);
                buffer
            }
            None => gpu.allocate(len).or_else(|_| {
                // What waits may be what is missing.
                waiting.buffers.clear();
                waiting.bytes = 0;
                gpu.allocate(len)
            })?,
        };
        waiting.use_more(bytes(&buffer));
        Ok(buffer)
    }
}
// ANCHOR_END: take

impl Pool {
    /// Counts a buffer from elsewhere, which will wait here afterwards.
    pub(super) fn adopt(&self, buffer: &Buffer<f32>) {
        self.lock().use_more(bytes(buffer));
    }

    /// Takes a buffer back that nobody uses any more.
    pub(super) fn give_back(&self, buffer: Buffer<f32>) {
        let mut waiting = self.lock();
        waiting.used -= bytes(&buffer);
        if waiting.bytes + bytes(&buffer) <= self.limit {
            waiting.bytes += bytes(&buffer);
            waiting.buffers.entry(buffer.len()).or_default().push(buffer);
        }
    }

    /// Bytes in use now, and at the peak.
    pub(super) fn memory(&self) -> Memory {
        let waiting = self.lock();
        Memory { now: waiting.used, peak: waiting.peak }
    }

    /// The counts stay whole when a panic interrupts their holder.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn use_more(&mut self, bytes: u64) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

fn bytes(buffer: &Buffer<f32>) -> u64 {
    size_of::<f32>() as u64 * buffer.len() as u64
}
