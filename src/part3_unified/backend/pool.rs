//! Buffers that are used again, built in chapter 22.
//!
//! To allocate on a device takes longer than to compute a little there, and
//! a training step asks for the same sizes again and again. So a buffer that
//! nobody uses waits here for the next one who asks for its length. The
//! device's queue is in order: what is still to be read from a buffer is
//! read before its next user writes to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Memory, Storage};
use crate::error::Error;
use crate::ledger;
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
    pub(super) fn new(limit: u64) -> Arc<Pool> {
        Arc::new(Pool { waiting: Mutex::default(), limit })
    }
}

// ANCHOR: take
impl Pool {
    /// A buffer of this length that has waited, or else a new one.
    pub(super) fn take(
        self: &Arc<Pool>,
        gpu: &Gpu,
        len: usize,
    ) -> Result<Pooled, Error> {
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
        drop(waiting);
        Ok(self.adopt(buffer))
    }
}
// ANCHOR_END: take

impl Pool {
    /// A buffer from elsewhere, which will wait here afterwards.
    pub(super) fn adopt(self: &Arc<Pool>, buffer: Buffer<f32>) -> Pooled {
        let mut waiting = self.lock();
        waiting.used += bytes(&buffer);
        waiting.peak = waiting.peak.max(waiting.used);
        ledger::count(|counts| counts.storages += 1);
        Pooled { buffer: Some(buffer), pool: Arc::clone(self) }
    }

    fn give_back(&self, buffer: Buffer<f32>) {
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

/// A storage that goes back to its pool.
pub(super) struct Pooled {
    /// Empty only while it is dropped.
    buffer: Option<Buffer<f32>>,
    pool: Arc<Pool>,
}

impl Pooled {
    pub(super) fn buffer(&self) -> &Buffer<f32> {
        self.buffer.as_ref().expect("it is not being dropped")
    }
}

impl Storage for Pooled {
    fn len(&self) -> usize {
        self.buffer().len()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        ledger::count(|counts| counts.storages_freed += 1);
        if let Some(buffer) = self.buffer.take() {
            self.pool.give_back(buffer);
        }
    }
}

impl fmt::Debug for Pooled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer().fmt(f)
    }
}

fn bytes(buffer: &Buffer<f32>) -> u64 {
    size_of::<f32>() as u64 * buffer.len() as u64
}
