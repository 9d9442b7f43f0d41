//! A pool of device buffers, built in "Eight functions, one dispatch".
//!
//! Allocating on a device takes longer than a small computation, and a
//! training step allocates the same sizes again and again. A buffer that is no
//! longer used is therefore cached here until a buffer of about its length is
//! requested. Reuse is safe because the device's queue is in order: pending
//! reads of a buffer finish before its next user writes to it.
//!
//! A live buffer also costs host memory in the driver. PoCL holds 480 bytes
//! for each buffer and 440 for the last command that used it, until the buffer
//! is released. A chain of operations therefore grows by a constant number of
//! bytes per operation. The resident memory of a short chain does not show
//! this, because PoCL first reuses the heap that its compiler has freed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::ledger::Memory;
use crate::opencl::{Buffer, Element, Gpu};

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

    // ANCHOR: give-back
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
    // ANCHOR_END: give-back

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

    #[test]
    fn a_buffer_is_at_most_a_quarter_longer_than_requested() {
        for len in (1..3000).chain([1_000_000, (1 << 30) + 1]) {
            let class = class(len);
            assert!((len..=len + len / 4).contains(&class), "{len}: {class}");
            assert_eq!(super::class(class), class, "{len}");
        }
    }
}
